"""Where a node of one of TorchInductor's graphs comes from in the snippet, and the captured
operations there."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.capture.torch.text import op_name
from compiler_core.reference.source_lines import SourceLines

_INHERITED = "fuselab_origin"
_MERGED = "fuselab_origins"


class Origin(NamedTuple):
    """Line and column, both from 1, and the ATen operation before decomposition: `aten.gelu` for an
    `erf`. "" if torch does not say."""

    line: int
    column: int
    op: str = ""


def origin_of(node: Any) -> Origin | None:
    """The origin of a node of an FX graph; None if no line of the snippet is recorded."""
    at = place_of(node.meta.get("stack_trace"))
    if at is None:
        inherited: Origin | None = node.meta.get(_INHERITED)
        return inherited
    op = node.meta.get("original_aten")
    return Origin(at.line, at.column, "" if op is None else op_name(op))


def inherit(node: Any, origin: Origin) -> None:
    """Gives a node that replaced others, for which torch records nothing, their origin."""
    if origin_of(node) is None:
        node.meta[_INHERITED] = origin


def merge(node: Any, origins: Iterable[Origin]) -> None:
    """Notes that a node does the work of several, of which torch keeps one's place."""
    node.meta[_MERGED] = (*node.meta.get(_MERGED, ()), *origins)


def origins_of(nodes: Iterable[Any]) -> tuple[Origin, ...]:
    """The distinct origins of several nodes, by their places."""
    return tuple(sorted({at for node in nodes for at in _all_of(node)}))


def _all_of(node: Any) -> Iterator[Origin]:
    own = origin_of(node)
    if own is not None:
        yield own
    yield from node.meta.get(_MERGED, ())


def ids_of(lines: SourceLines, origins: Iterable[Origin]) -> list[int]:
    """The captured operations at the origins: at each place those of the origin's name, or all if
    none has that name."""
    names = {node.id: node.op for node in lines.nodes}
    ops: dict[tuple[int, int], set[str]] = {}
    for line, column, op in origins:
        ops.setdefault((line, column), set()).add(op)
    found: set[int] = set()
    for (line, column), named in ops.items():
        here = lines.at(line, column - 1)
        found.update([i for i in here if names[i] in named] or here)
    return sorted(found)
