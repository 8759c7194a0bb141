"""How many columns a tensor has, from those that the code takes: `boxes[..., :2]` with `boxes[...,
2:]` means four, and so does `raw[..., :3]` with `raw[..., 3]`; `x, y, z = v.unbind(-1)` means
three."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from compiler_core.snippet.guess.assigned import Assigned, assigned
from compiler_core.snippet.guess.ranks import elementwise

# The fewest columns: taking the first one, or all others, does not tell how many there are.
_FEWEST = 2


@dataclass(frozen=True)
class Columns:
    """The number of columns of a tensor, and its number of dimensions, None if that may be any."""

    count: int
    rank: int | None


@dataclass
class _Taken:
    """What is taken of one name: one past the last column by number, where slices end and begin,
    and how many indices there are."""

    most: int = 0
    ends: set[int] = field(default_factory=set)
    begins: set[int] = field(default_factory=set)
    ranks: set[int | None] = field(default_factory=set)

    def columns(self) -> Columns | None:
        halves = (2 * at for at in self.ends & self.begins if at >= _FEWEST)
        count = max((self.most, *halves))
        rank = next(iter(self.ranks)) if len(self.ranks) == 1 else None
        return Columns(count, rank) if count >= _FEWEST else None


def columns(code: ast.AST, names: Iterable[str]) -> Mapping[str, Columns]:
    """The columns of those of `names` of which the code takes columns by number."""
    taken = {name: _Taken() for name in names}
    given = assigned(code)
    for node in ast.walk(code):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
            _unpacked(node.value, len(node.targets[0].elts), taken, given)
        name = ast.unparse(node.value) if isinstance(node, ast.Subscript) else ""
        if isinstance(node, ast.Subscript) and name in taken:
            _read(node.slice, taken[name])
    found = {name: each.columns() for name, each in taken.items()}
    return {name: each for name, each in found.items() if each is not None}


def _read(index: ast.expr, taken: _Taken) -> None:
    *before, last = index.elts if isinstance(index, ast.Tuple) and index.elts else [index]
    if not before or not all(map(_is_all, before)):
        return
    taken.ranks.add(None if any(map(_is_ellipsis, before)) else len(before) + 1)
    if (at := _number(last)) is not None:
        taken.most = max(taken.most, at + 1)
    elif isinstance(last, ast.Slice):
        end, begin = _number(last.upper), _number(last.lower)
        taken.most = max(taken.most, end or 0)
        taken.ends.update(() if end is None or begin else {end})
        taken.begins.update(() if begin is None or last.upper else {begin})


def _unpacked(value: ast.expr, count: int, taken: Mapping[str, _Taken], given: Assigned) -> None:
    """Of `x, y, z = v.unbind(-1)` and `x1, y1, x2, y2 = boxes.T`."""
    of, rank = _apart(value)
    for name in elementwise(of, given).intersection(taken):
        taken[name].most = max(taken[name].most, count)
        taken[name].ranks.add(rank)


def _apart(value: ast.expr) -> tuple[ast.expr | None, int | None]:
    """What is taken apart into its columns, and its rank where that is said."""
    match value:
        case ast.Attribute(value=of, attr="T"):
            return of, 2
        case ast.Call(func=ast.Attribute(value=of, attr="unbind"), args=given, keywords=named):
            axes = [*given, *(k.value for k in named)]
            if ast.unparse(of) == "torch" and given:
                of, axes = given[0], axes[1:]
            axis = ast.unparse(axes[0]) if axes else "0"
            return (of, {"-1": None, "1": 2}[axis]) if axis in ("-1", "1") else (None, None)
    return None, None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _is_all(node: ast.expr) -> bool:
    whole = isinstance(node, ast.Slice) and not (node.lower or node.upper or node.step)
    return whole or _is_ellipsis(node)


def _number(node: ast.expr | None) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int and value >= 0 else None
