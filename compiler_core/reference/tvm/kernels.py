"""What TVM runs as one: the functions that it fused and those that stand alone, with the captured
operations that each is for."""

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
    """A function of loops by TVM's name; its members with their classes. `certain` where each
    captured operation in `nodes` is in it: equal functions are one, and which call stands for which
    operations is then not told."""

    name: str
    members: tuple[str, ...]
    nodes: tuple[int, ...]
    certain: bool = True

    @property
    def kind(self) -> str:
        return f"{self.name} ({', '.join(self.members)})"


@dataclass(frozen=True)
class _Texts:
    """main's calls of functions of loops before fusion; what each kernel has in it."""

    before: list[Call]
    groups: list[tuple[str, list[Call]]]

    def candidates(self, call: Call) -> list[str]:
        """The variables of main that a call may have made. The last of a fused function has another
        name there: it is one of those of its function that are named nowhere."""
        own = {c.variable for c in self.before}
        if call.variable in own:
            return [call.variable]
        named = {c.variable for _, group in self.groups for c in group} & own
        same = (c.variable for c in self.before if c.function == call.function)
        return [name for name in same if name not in named]


def kernels(
    legalized: str, annotated: str, fused: str, variables: Mapping[str, list[int]]
) -> list[Kernel]:
    """From the module's texts after LegalizeOps, AnnotateTIROpPattern and FuseOps; the last is
    blank where nothing was fused. `variables` are the captured operations of main's variables."""
    classes = patterns(annotated)
    before = [c for c in calls(legalized).get(MAIN, []) if c.is_kernel]
    texts = _Texts(before, list(_groups(calls(fused) if fused else {MAIN: before})))
    called = Counter(name for name, group in texts.groups if len(group) > 1)
    found = {}
    for name, group in texts.groups:
        members = tuple(f"{c.function}: {classes.get(c.function, 'no class')}" for c in group)
        made = [texts.candidates(call) for call in group]
        ids = {i for names in made for each in names for i in variables.get(each, ())}
        certain = called[name] < 2 and all(len(names) == 1 for names in made)
        kernel = Kernel(name, members, tuple(sorted(ids)), certain)
        found[name, () if len(group) > 1 else kernel.nodes] = kernel
    return list(found.values())


def _groups(found: Mapping[str, list[Call]]) -> Iterator[tuple[str, list[Call]]]:
    """What main calls, in order: a function of loops alone, or one that has several in it."""
    for call in found.get(MAIN, []):
        group = [call] if call.is_kernel else found.get(call.function, [])
        if group:
            yield call.function, group


def stage(found: list[Kernel], lines: Mapping[int, int | None]) -> report.Stage:
    """A table of the kernels. `lines` are the snippet's, by captured operation."""
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
