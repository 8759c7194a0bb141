"""What einsum's letters imply about shapes: `einsum("btd,dhk->bthk", x, p["wq"])` gives the rank of
each operand and the sizes that two share. A write into another array implies sizes too: `cache` in
`dynamic_update_slice(cache, k, ...)` and in `cache.at[:, t].set(k)` has the sizes of k except along
the axis that is written at.

The code is read once, without being run, as for products.py, but following every size of a value. A
size is chosen by the first letter that stands for it.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compiler_core.report import Framework
from compiler_core.snippet.guess.equations import Equations, Size
from compiler_core.snippet.guess.expressions import (
    READERS,
    Code,
    Dims,
    Function,
    Names,
    Path,
    Place,
    bind,
)
from compiler_core.snippet.guess.hints import size_of
from compiler_core.snippet.guess.loops import flat

# The letter for a size that no letter names.
_UNNAMED = "t"


def shapes_of_einsums(
    definition: ast.AST, names: Sequence[str], tree: ast.Module, framework: Framework
) -> Mapping[Path, tuple[int, ...]]:
    """The shapes that the einsums in a function's code imply for its parameters `names` and for
    values inside of these, by path; without an entry for what no einsum reaches."""
    reader = _Reader(framework, {d.name: d for d in tree.body if isinstance(d, Function)})
    # What is written into is often known further down: it is read again, with that.
    if isinstance(definition, Code):
        for _ in range(2):
            reader.run(definition, {name: Place((name,)) for name in names}, 0)
    return reader.shapes()


@dataclass
class _Reader:
    framework: Framework
    functions: Mapping[str, Function]
    equations: Equations = field(default_factory=Equations)
    leaves: dict[Path, Dims] = field(default_factory=dict)
    letters: list[tuple[Size, str]] = field(default_factory=list)
    parts: list[Size] = field(default_factory=list)

    def shapes(self) -> dict[Path, tuple[int, ...]]:
        """The shapes by path, each size by its letter."""
        named: dict[int, str] = {}
        for size, letter in self.letters:
            named.setdefault(self.equations.root(size).unknown, letter)
        return {
            path: tuple(size_of(named.get(self.equations.root(d).unknown, _UNNAMED)) for d in dims)
            for path, dims in self.leaves.items()
        }

    def run(self, code: Code, names: Names, depth: int) -> Any:
        """The value that a function returns."""
        if isinstance(code, ast.Lambda):
            return self.value(code.body, names, depth)
        for node in flat(code.body):
            if isinstance(node, ast.Assign):
                value = self.value(node.value, names, depth)
                for target in node.targets:
                    bind(target, value, names)
            elif isinstance(node, Function):
                names[node.name] = node
            elif isinstance(node, ast.Return | ast.Expr) and node.value is not None:
                value = self.value(node.value, names, depth)
                if isinstance(node, ast.Return):
                    return value
        return None

    def value(self, node: ast.expr, names: Names, depth: int) -> Any:
        """The value of an expression."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else called.attr
            rule = _RULES.get(name)
            if rule is not None:
                return rule(self, node, lambda given: self.value(given, names, depth))
        read = READERS.get(type(node))
        return None if read is None else read(self, node, names, depth)

    def dims(self, value: Any) -> Dims | None:
        """The sizes of a tensor; None if they are not known."""
        if isinstance(value, Place):
            return self.leaves.get(value.path)
        return value if isinstance(value, tuple) else None

    def of_rank(self, value: Any, rank: int) -> Dims | None:
        """The `rank` sizes of a value; those of a parameter's value are unknowns at first."""
        if isinstance(value, Place) and value.path not in self.leaves:
            self.leaves[value.path] = self.fresh(rank)
        dims = self.dims(value)
        return dims if dims is not None and len(dims) == rank else None

    def fresh(self, rank: int) -> Dims:
        """`rank` sizes of which nothing is known."""
        return tuple(self.equations.fresh() for _ in range(rank))

    def together(self, values: Sequence[Any]) -> Dims | None:
        """The sizes of an elementwise result: those of the operand with the most dimensions, to
        which the others are broadcast."""
        return max(filter(None, map(self.dims, values)), key=len, default=None)

    def product(self, left: Any, right: Any) -> Dims | None:
        """None: products are read by products.py."""
        return None

    def number(self, size: Size, number: int) -> None:
        """Does nothing: sizes are chosen by letters."""

    def convolved(self, image: Any, kernel: Any) -> Dims | None:
        """None: convolutions are read by products.py."""
        return None

    def joined(self, sizes: Sequence[Size]) -> Size:
        """The size of parts that are concatenated."""
        return self.equations.sum(sizes)

    def use(self, *values: Any) -> None:
        """Does nothing: every place counts as used."""

    def key(self, place: Place) -> Place:
        """The place itself, which the code reaches by a string."""
        return place


Value = Callable[[ast.expr], Any]


def _einsum(reader: _Reader, node: ast.Call, value: Value) -> Dims | None:
    equation = node.args[0] if node.args else None
    if not isinstance(equation, ast.Constant) or not isinstance(equation.value, str):
        return None
    given, _, result = equation.value.replace(" ", "").partition("->")
    if "." in given:
        return None
    named: dict[str, Size] = {}
    for term, operand in zip(given.split(","), node.args[1:], strict=False):
        dims = reader.of_rank(value(operand), len(term)) or reader.fresh(len(term))
        for letter, size in zip(term, dims, strict=True):
            reader.equations.same(size, named.setdefault(letter, size))
            reader.letters.append((size, letter))
    return tuple(named[letter] for letter in result if letter in named)


def _update_slice(reader: _Reader, node: ast.Call, value: Value) -> Any:
    """`dynamic_update_slice(x, update, (0, t, 0))`."""
    start = node.args[2] if len(node.args) > 2 else None
    at = start.elts if isinstance(start, ast.Tuple | ast.List) else []
    whole = [isinstance(i, ast.Constant) and i.value == 0 for i in at]
    return _written(reader, node, value, whole)


def _update_in_dim(reader: _Reader, node: ast.Call, value: Value) -> Any:
    """`dynamic_update_slice_in_dim(x, update, t, axis=1)`."""
    axes = [k.value for k in node.keywords if k.arg == "axis"] + node.args[3:4]
    axis = axes[0].value if axes and isinstance(axes[0], ast.Constant) else 0
    known = [reader.dims(value(each)) for each in node.args[:2]]
    rank = max((len(d) for d in known if d), default=0)
    return _written(reader, node, value, [i != axis for i in range(rank)])


def _written(reader: _Reader, node: ast.Call, value: Value, whole: Sequence[bool]) -> Any:
    """The first argument, into which the second is written; `whole` along which of its axes."""
    into, update = (value(each) for each in node.args[:2])
    if whole:
        one, other = (reader.of_rank(each, len(whole)) or () for each in (into, update))
        _alike(reader, one, other, whole)
    return into


def _alike(
    reader: _Reader, one: Iterable[Size], other: Iterable[Size], where: Iterable[bool]
) -> None:
    for a, b, same in zip(one, other, where, strict=False):
        if same:
            reader.equations.same(a, b)


def _set(reader: _Reader, node: ast.Call, value: Value) -> Any:
    """`x.at[:, t].set(update)`."""
    item = node.func.value if isinstance(node.func, ast.Attribute) else None
    at = item.value if isinstance(item, ast.Subscript) else None
    if not isinstance(item, ast.Subscript) or not isinstance(at, ast.Attribute) or at.attr != "at":
        return None
    into, update = value(at.value), reader.dims(value(node.args[0])) if node.args else None
    kept = list(_kept(item.slice))
    if update is not None and None not in kept:
        kept += ["all"] * (len(update) - sum(map(bool, kept)))
        dims = reader.of_rank(into, len(kept)) or ()
        left = [(d, k == "all") for d, k in zip(dims, kept, strict=False) if k]
        _alike(reader, [d for d, _ in left], update, [whole for _, whole in left])
    return into


def _kept(index: ast.expr) -> Iterator[str | None]:
    """Of each part of an index: "all", "some" of the axis, or "" where it is taken; None where it
    is not known which."""
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        if isinstance(part, ast.Slice):
            yield "some" if part.lower or part.upper or part.step else "all"
        elif isinstance(part, ast.Name | ast.Constant | ast.BinOp | ast.Attribute):
            yield None if isinstance(part, ast.Constant) and type(part.value) is not int else ""
        else:
            yield None


_RULES: dict[str, Callable[[_Reader, ast.Call, Value], Any]] = {
    "einsum": _einsum,
    "dynamic_update_slice": _update_slice,
    "dynamic_update_slice_in_dim": _update_in_dim,
    "set": _set,
}
