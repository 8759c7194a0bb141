"""What a trace froze: values that Python read, which are constants in the graph, and the branches
and loops of the source that it went through in one way."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from warnings import WarningMessage

from compiler_core import report
from compiler_core.report import Column, Row, Table
from compiler_core.snippet.source import FILE

# What torch's warning says was made of a tensor, and what follows from it.
_MADE = {
    "boolean": "a branch was chosen by a tensor's value",
    "integer": "a tensor's value became a Python integer",
    "float": "a tensor's value became a Python float",
    "number": "a tensor's value became a Python number",
    "index": "a tensor's value became an index",
    "list": "a tensor's values became a Python list",
    "Iterating over a tensor": "a loop went over the rows of a tensor",
    "registered as constants": "a tensor was made of Python numbers",
    "NumPy array": "a tensor left for numpy",
}
_ELSE = "a value was read while tracing"
_WHY = "the trace has the value that this call had, whatever later calls bring"
_REMEDY = "use torch.where or torch.cond, compile it by torch.jit.script, or by torch.compile"


@dataclass(frozen=True)
class Frozen:
    """Something of the source that the trace has one version of; `certain` where torch itself warns
    that other inputs may need another."""

    line: int
    what: str
    raw: str = ""
    certain: bool = True


def of_warnings(warned: Iterable[WarningMessage]) -> list[Frozen]:
    """What torch's TracerWarnings say, each line and kind once."""
    found = {}
    for each in warned:
        if each.category.__name__ == "TracerWarning" and each.filename == FILE:
            raw = str(each.message)
            what = next((said for word, said in _MADE.items() if word in raw), _ELSE)
            found[each.lineno, what] = Frozen(each.lineno, what, raw)
    return [found[key] for key in sorted(found)]


def of_source(source: str, traced: Sequence[int]) -> list[Frozen]:
    """Loops and branches of the source with lines in the trace, which has neither: `traced` are the
    lines of its operations, a line as often as it has operations."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    found = (_of(node, traced) for node in ast.walk(tree))
    return sorted(filter(None, found), key=lambda each: each.line)


def together(warned: Sequence[Frozen], read: Iterable[Frozen]) -> list[Frozen]:
    """Both, by line; of a line that torch warns of, its warnings alone."""
    lines = {each.line for each in warned}
    return sorted([*warned, *(f for f in read if f.line not in lines)], key=lambda f: f.line)


def _of(node: ast.AST, traced: Sequence[int]) -> Frozen | None:
    match node:
        case ast.For() | ast.While():
            return _loop(node, traced)
        case ast.If():
            taken = next(_inside(node.body, traced), None), next(_inside(node.orelse, traced), None)
            return _branch(node, *taken)
    return None


def _loop(node: ast.For | ast.While, traced: Sequence[int]) -> Frozen | None:
    inside = list(_inside(node.body, traced))
    if not inside:
        return None
    times = max(_passes(inside))
    what = f"the loop is {times} copies of its body" if times > 1 else "the loop is its body, once"
    return Frozen(node.lineno, what, certain=False)


def _passes(inside: Sequence[int]) -> Iterator[int]:
    """How often each line comes again after another line of the body: a pass over the body each."""
    for line in set(inside):
        yield sum(
            1 for i, at in enumerate(inside) if at == line and (i == 0 or inside[i - 1] != at)
        )


def _branch(node: ast.If, then: int | None, other: int | None) -> Frozen | None:
    if (then is None) == (other is None):
        return None
    which = "first" if other is None else "other"
    return Frozen(node.lineno, f"only the {which} branch is in the trace", certain=False)


def _inside(body: Sequence[ast.stmt], traced: Sequence[int]) -> Iterator[int]:
    if body:
        first, last = body[0].lineno, body[-1].end_lineno or body[-1].lineno
        yield from (line for line in traced if first <= line <= last)


def table(frozen: Sequence[Frozen]) -> Table:
    """All of it, by line."""
    rows = [
        Row([each.line, each.what, "torch warns" if each.certain else "as the source has it"],
            line=each.line)
        for each in frozen
    ]  # fmt: skip
    columns = [Column("line"), Column("what is frozen"), Column("known from")]
    return Table("frozen", columns, rows, "What this one call decided for all later calls.")


def findings(frozen: Iterable[Frozen]) -> Iterator[report.Finding]:
    """What torch warns of, as entries of the why-list."""
    for each in frozen:
        if each.certain:
            what = f"torch.jit.trace: {each.what}"
            yield report.Finding(
                "specialised", "torchscript", what, _WHY, _REMEDY, each.line, raw=each.raw
            )
