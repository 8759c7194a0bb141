"""What a trace froze: values that Python read, which are constants in the graph, and the branches
and loops of the source, of which it has one path."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from warnings import WarningMessage

from compiler_core import report
from compiler_core.report import Column, Row, Table
from compiler_core.snippet.source import FILE
from compiler_core.wording import counted

# Words in torch's TracerWarnings, and what each means for the trace.
_WARNINGS = {
    "boolean": "a branch, or the end of a loop, was decided by a tensor's value or size",
    "integer": "a tensor's value became a Python integer",
    "float": "a tensor's value became a Python float",
    "number": "a tensor's value became a Python number",
    "index": "a tensor's value became an index",
    "list": "a tensor's values became a Python list",
    "Iterating over a tensor": "a loop went over the rows of a tensor",
    "Using len": "the number of a tensor's rows became a Python number",
    "registered as constants": "a tensor was made of Python numbers",
    "NumPy array": "a tensor left for numpy",
}
_ELSE = "a value was read while tracing"
_WHY = "the trace has the value that this call had, whatever later calls bring"
_ONE_WAY = (
    "tracing runs Python once and keeps what it did: the trace does the same for every later call, "
    "whatever the source would do"
)
_KEPT = (
    "nothing, where every call goes the same way; else compile it by torch.jit.script, which keeps "
    "loops and branches, or by torch.compile"
)
_REMEDY = "use torch.where or torch.cond, compile it by torch.jit.script, or by torch.compile"


@dataclass(frozen=True)
class Frozen:
    """A part of the source of which the trace has one version; `certain`: torch itself warns that
    other inputs may need another."""

    line: int
    what: str
    raw: str = ""
    certain: bool = True


def of_warnings(warned: Iterable[WarningMessage]) -> list[Frozen]:
    """What torch's TracerWarnings report, each line and kind once."""
    found = {}
    for each in warned:
        if each.category.__name__ == "TracerWarning" and each.filename == FILE:
            raw = str(each.message)
            what = next((text for word, text in _WARNINGS.items() if word in raw), _ELSE)
            found[each.lineno, what] = Frozen(each.lineno, what, raw)
    return [found[key] for key in sorted(found)]


def of_source(source: str, visits: Mapping[int, int]) -> list[Frozen]:
    """Loops and branches of the source that the trace went through, of which its graph has none.
    `visits` is the number of times that each line was executed."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return [found for node in ast.walk(tree) if (found := _of(node, visits))]


def together(warned: Sequence[Frozen], read: Iterable[Frozen]) -> list[Frozen]:
    """Both lists, by line; on a line with warnings, only these."""
    lines = {each.line for each in warned}
    return sorted([*warned, *(f for f in read if f.line not in lines)], key=lambda f: f.line)


def _of(node: ast.AST, visits: Mapping[int, int]) -> Frozen | None:
    match node:
        case ast.For() | ast.While() if times := visits.get(node.body[0].lineno, 0):
            what = f"the loop is {counted(times, 'copy')} of its body"
            return Frozen(node.lineno, what, certain=False)
        case ast.If() if visits.get(node.lineno, 0):
            return _branch(node, visits)
    return None


def _branch(node: ast.If, visits: Mapping[int, int]) -> Frozen | None:
    """Of a branch that went one way each time, which way that was."""
    then, times = visits.get(node.body[0].lineno, 0), visits[node.lineno]
    if then not in (0, times):
        return None
    which = "where the condition holds" if then else "where the condition does not hold"
    return Frozen(node.lineno, f"the trace has the way alone {which}", certain=False)


def table(frozen: Sequence[Frozen]) -> Table:
    """The table of what tracing froze, by line."""
    rows = [
        Row([each.what, "torch warns" if each.certain else "as the source has it"], line=each.line)
        for each in frozen
    ]
    columns = [Column("what is frozen"), Column("known from")]
    return Table("frozen", columns, rows, "What this one call decided for all later calls.")


def findings(frozen: Iterable[Frozen]) -> Iterator[report.Finding]:
    """What is frozen as entries of the why-list."""
    for each in frozen:
        why, remedy = (_WHY, _REMEDY) if each.certain else (_ONE_WAY, _KEPT)
        what = f"torch.jit.trace: {each.what}"
        yield report.Finding(
            "specialised", "torchscript", what, why, remedy, each.line, raw=each.raw
        )
