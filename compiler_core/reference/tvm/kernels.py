"""TVM's kernels, which are the functions that it fused and those that were left alone, each with
the captured operations that it computes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compiler_core import report
from compiler_core.reference.tvm.script import MAIN, Call, calls, patterns
from compiler_core.wording import counted

_COLUMNS = [
    report.Column("kernel"),
    report.Column("members", about="What is merged in it, each with how TVM classes it."),
]
_ABOUT = (
    "Each row is one function of loops. TVM fuses by classes: elementwise operations into what "
    "they follow, and nothing into what is opaque."
)


@dataclass(frozen=True)
class Kernel:
    """A TIR function by TVM's name. `members` are the functions fused in it, each with its operator
    pattern ("add: elementwise"); `nodes` the ids of the captured operations that it computes.
    `certain` is False where some of these may be another kernel's: TVM keeps equal functions once,
    and does not record which of the calls computes which operations."""

    name: str
    members: tuple[str, ...]
    nodes: tuple[int, ...]
    certain: bool = True

    @property
    def kind(self) -> str:
        """The kernel's name and the functions fused in it, as text."""
        return f"{self.name} ({', '.join(self.members)})"


@dataclass(frozen=True)
class _Texts:
    """main's calls of TIR functions before fusion, and the calls in each kernel."""

    before: list[Call]
    groups: list[tuple[str, list[Call]]]

    def candidates(self, call: Call) -> list[str]:
        """The variables of main before fusion that a call may have bound. The last call in a fused
        function binds a new name: it may be any variable that the same function computed before
        and that no kernel names."""
        own = {c.variable for c in self.before}
        if call.variable in own:
            return [call.variable]
        named = {c.variable for _, group in self.groups for c in group} & own
        same = (c.variable for c in self.before if c.function == call.function)
        return [name for name in same if name not in named]


def kernels(
    legalized: str, annotated: str, fused: str, variables: Mapping[str, list[int]]
) -> list[Kernel]:
    """The kernels, from the module's texts after LegalizeOps, AnnotateTIROpPattern and FuseOps
    (blank if nothing was fused), in the order of main's calls. `variables` has the ids of the
    captured operations of each variable of main."""
    classes = patterns(annotated)
    before = [c for c in calls(legalized).get(MAIN, []) if c.is_kernel]
    texts = _Texts(before, list(_groups(calls(fused) if fused else {MAIN: before})))
    called = Counter(name for name, group in texts.groups if len(group) > 1)
    found = {}
    for name, group in texts.groups:
        members = tuple(f"{c.function}: {classes.get(c.function, 'no class')}" for c in group)
        candidates = [texts.candidates(call) for call in group]
        ids = {i for names in candidates for each in names for i in variables.get(each, ())}
        certain = called[name] < 2 and all(len(names) == 1 for names in candidates)
        kernel = Kernel(name, members, tuple(sorted(ids)), certain)
        found[name, () if len(group) > 1 else kernel.nodes] = kernel
    return list(found.values())


def counts(legalized: str, fused: str) -> dict[str, report.Figure]:
    """How many kernels there are, and how often one is launched, from the same texts."""
    names = [name for name, _ in _groups(calls(fused or legalized))]
    untold = report.Figure(why="TVM does not report it")
    return {
        "kernels": report.Figure(len({*names})),
        "launches": report.Figure(len(names)),
        "library_calls": report.Figure(0),
        "bytes": untold,
    }


def _groups(found: Mapping[str, list[Call]]) -> Iterator[tuple[str, list[Call]]]:
    """The functions that main calls, in order, each with its kernel's calls: itself if it is a TIR
    function, else the calls in it."""
    for call in found.get(MAIN, []):
        group = [call] if call.is_kernel else found.get(call.function, [])
        if group:
            yield call.function, group


def stage(found: list[Kernel], lines: Mapping[int, int | None]) -> report.Stage:
    """The stage with a table of the kernels. `lines` has the snippet's line, 1-based, of each
    captured operation, by id."""
    rows = [
        report.Row(
            [each.name, ", ".join(each.members)],
            [*each.nodes],
            next((at for i in each.nodes if (at := lines.get(i))), None),
        )
        for each in found
    ]
    table = report.Table("kernels", _COLUMNS, rows, _ABOUT)
    return report.Stage("kernels", "ok", 0.0, summary=counted(len(found), "kernel"), tables=[table])
