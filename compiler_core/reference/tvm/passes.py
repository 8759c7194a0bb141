"""TVM's passes: their milliseconds, and the module after each that changed it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.tvm import script
from compiler_core.wording import counted

PARENT = "passes"
# Most passes run once for each function, of which a large program has hundreds: so many runs of one
# are shown, and the table counts all.
_SHOWN_RUNS = 4
# The purposes of the passes that readers look for.
_ABOUT = {
    "LegalizeOps": "each operation becomes a function of loops",
    "AnnotateTIROpPattern": "functions are classed, for fusion",
    "FuseOps": "calls are grouped by their classes",
    "FuseTIRInner": "the loops of a group become one function",
    "CallTIRRewrite": "results are allocated before the calls that fill them",
    "StaticPlanBlockMemory": "buffers are allocated once and reused",
    "LowerAllocTensor": "buffers become storage and views of it",
    "KillAfterLastUse": "what is used no more is freed",
    "VMShapeLower": "sizes are checked where the program begins",
    "tirx.FlattenBuffer": "buffers have one dimension",
    "tirx.StorageRewrite": "temporaries within a function share memory",
    "tirx.MakePackedAPI": "functions check and unpack their arguments",
}
_COLUMNS = [
    report.Column("within", about="The pass or pipeline that runs it."),
    report.Column("pass"),
    report.Column("runs", about="TVM runs most of them once for each function."),
    report.Column("changed", about="Runs after which the module's text was another."),
    report.Column("time", "ms", "With the passes that it runs itself, without writing its text."),
]


@dataclass(frozen=True)
class Pass:
    """One run of a pass, by the pass `within` or by none; `text` is the module after it if that was
    changed, else blank."""

    name: str
    ms: float
    text: str
    within: str = ""


@dataclass(frozen=True)
class Places:
    """From which captured operations (by id) the lines of a TVM module come. `variables` has them
    by the variables of the function `main`, which later passes rename: they hold for modules
    before that. `functions` has them by the names of the other functions."""

    variables: Mapping[str, list[int]]
    functions: Mapping[str, list[int]]

    def of(self, text: str, named: bool) -> list[list[int]]:
        """The ids for each line of a module's text. `named`: no pass has renamed the variables of
        `main` yet."""
        return [self._at(name, line, named) for name, line in script.functions(text)]

    def _at(self, function: str, line: str, named: bool) -> list[int]:
        if function != script.MAIN:
            return self.functions.get(function, [])
        if named:
            return self.variables.get(script.variable_of(line), [])
        called = next(iter(script.calls(f"    def {script.MAIN}(\n{line}").values()), [])
        return self.functions.get(called[0].function, []) if called else []


def passes(facts: Mapping[str, Any], files: Mapping[str, str]) -> list[Pass]:
    """The runs of passes, in the order in which they ended. `facts` is facts.json as
    extras/inside/for_tvm.py writes it; `files` are the texts by file name."""
    return [
        Pass(p["name"], p["ms"], files.get(p["file"], ""), p.get("within", ""))
        for p in facts["passes"]
    ]


def after(found: Sequence[Pass], name: str) -> str:
    """The module's text after the first pass of that name that changed it; blank if none did."""
    return next((p.text for p in found if p.name == name and p.text), "")


def imported(text: str, places: Places) -> report.Artifact:
    """The module that TVM imported from the exported program."""
    return _shown("relax", text, places, named=True)


def stages(text: str, found: Sequence[Pass], places: Places) -> Iterator[report.Stage]:
    """One stage with a table of all passes, then one for each of the first runs of a pass that
    changed the module, whose text is `text` before the first."""
    changed = [p for p in found if p.text]
    yield report.Stage(PARENT, "ok", 0.0, summary=_summary(found), tables=[_table(found)])
    met: Counter[str] = Counter()
    before, named = text, True
    for each in changed:
        still = named and each.name != "FuseOps"
        met[each.name] += 1
        if met[each.name] <= _SHOWN_RUNS:
            sides = (
                _shown("before", before, places, named),
                _shown("after", each.text, places, still),
            )
            name = each.name if met[each.name] == 1 else f"{each.name} {met[each.name]}"
            about = _ABOUT.get(each.name, "")
            yield report.Stage(name, "ok", each.ms, [*sides], summary=about, parent=PARENT)
        before, named = each.text, still


def _summary(found: Sequence[Pass]) -> str:
    changing = Counter(p.name for p in found if p.text)
    names = counted(len({p.name for p in found}), "pass")
    text = (
        f"{counted(len(found), 'run')} of {names}, of which {changing.total()} changed the module"
    )
    if max(changing.values(), default=0) <= _SHOWN_RUNS:
        return text
    return f"{text}; of each pass the first {_SHOWN_RUNS} of these are shown"


def _table(found: Sequence[Pass]) -> report.Table:
    """A row for all runs of one pass by one other."""
    runs: dict[tuple[str, str], list[Pass]] = {}
    for each in found:
        runs.setdefault((each.within, each.name), []).append(each)
    rows = [
        report.Row([*key, len(own), sum(bool(p.text) for p in own), sum(p.ms for p in own)])
        for key, own in runs.items()
    ]
    return report.Table("passes", _COLUMNS, rows)


def _shown(name: str, text: str, places: Places, named: bool) -> report.Artifact:
    return artifact(name, "python", text, places.of(text, named))
