"""What products imply about sizes: in `x @ W + b` the last size of x is the number of W's rows, and
the number of W's columns is the size of b; a value that is split in four has four times the size of
a part.

The code is read once, without being run. Of every value the last sizes are followed: both of a
matrix, the last of a value that has one element for each feature (a bias, an activation).
"""

import ast
import re
from collections.abc import Mapping, Sequence
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
    parts,
)
from compiler_core.snippet.guess.hints import SIZES, kind_of
from compiler_core.snippet.guess.loops import flat

_NORM = re.compile(r"(.*_)?(ln|(layer|rms|batch|group)?_?norm)(_?\d|_f)?")
# Prefixes of names whose value has the sizes of another one: `next_obs`, `target_params`.
_AFTER = re.compile(r"^(next|target|old|prev(ious)?|ema)_")
_WINDOW = (3, 3)
_MATRICES = ("weight", "square", "qkv", "table")


@dataclass(frozen=True)
class Products:
    """What the products of a function imply. `shapes` are those of matrices and vectors, `last` the
    last sizes of other operands; `columns`: a matrix stands before its other operand, which is then
    a vector. `keyed` are the places that the code, and that of the functions it calls, reaches by
    strings alone."""

    shapes: Mapping[Path, tuple[int, ...]] = field(default_factory=dict)
    last: Mapping[Path, int] = field(default_factory=dict)
    columns: bool = False
    keyed: Sequence[Path] = ()

    def shape(self, path: Path) -> tuple[int, ...] | None:
        """The shape of the value at `path`; None if products imply no more than its name does."""
        matrix = len(self.shapes.get(path, ())) >= 2
        if not matrix and len(path) == 1 and not self._uneven:
            return None
        if path in self.last:
            rows = () if self.columns else (SIZES["N"],)
            return (*rows, self.last[path])
        return self.shapes.get(path)

    @property
    def _uneven(self) -> bool:
        """Whether the sizes are other than those that are guessed without products."""
        sizes = {s for shape in self.shapes.values() for s in shape} | {*self.last.values()}
        return self.columns or sizes - {SIZES["D"]} != set()


def products(
    definition: ast.AST, names: Mapping[str, int | None], tree: ast.Module, framework: Framework
) -> Products:
    """What the products in a function's code imply for its parameters `names` and for values inside
    of these. `names` maps each parameter to its last size, None if that is not known."""
    reader = _Reader(framework, {d.name: d for d in tree.body if isinstance(d, Function)})
    if isinstance(definition, Code):
        reader.run(definition, {name: Place((name,)) for name in names}, 0)
    return reader.found({name: size for name, size in names.items() if size is not None})


class _Reader:
    def __init__(self, framework: Framework, functions: Mapping[str, Function]) -> None:
        self.framework, self.functions = framework, functions
        self.equations = Equations()
        self.leaves: dict[Path, Dims] = {}
        # Of what is split in equal parts; they have whole sizes, too.
        self.parts: list[Size] = []
        self.used: set[Path] = set()
        self.keyed: dict[Path, None] = {}
        self.columns = False
        self.numbers: list[tuple[Size, int]] = []
        # What images are convolved with: of such the sizes are channels, in and out.
        self.kernels: set[Path] = set()

    def found(self, said: Mapping[str, int]) -> Products:
        """The result of reading; `said` are last sizes of parameters that are known otherwise."""
        for path, dims in self.leaves.items():
            if len(path) == 1 and path[0] in said:
                self.equations.number(dims[-1], said[path[0]])
        known = {p: d for p, d in self.leaves.items() if p in self.used}
        every = [size for dims in known.values() for size in dims]
        self.equations.settle()
        for size, number in self.numbers:
            self.equations.number(size, number)
        numbers = iter(self.equations.solved([*every, *self.parts], SIZES["D"]))
        shapes = {path: tuple(next(numbers) for _ in dims) for path, dims in known.items()}
        shapes |= {p: (*_WINDOW, *s) for p, s in shapes.items() if p in self.kernels}
        last = {p: s[0] for p, s in shapes.items() if len(s) == 1 and not _is_vector(p[-1])}
        others = {p: s for p, s in shapes.items() if p not in last}
        return Products(others, last, self.columns, tuple(self.keyed))

    # -- statements

    def run(self, code: Code, names: Names, depth: int) -> Any:
        """The value that a function returns."""
        if isinstance(code, ast.Lambda):
            return self.value(code.body, names, depth)
        results = [self.statement(s, names, depth) for s in flat(code.body)]
        return next((r for r in results if r is not None), None)

    def statement(self, node: ast.stmt, names: Names, depth: int) -> Any:
        """The value that a statement returns; None if it does not return."""
        if isinstance(node, ast.Assign):
            value = self.value(node.value, names, depth)
            for target in node.targets:
                for place in parts(target, value):
                    self.key(place)
                bind(target, value, names)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            binary = ast.BinOp(ast.Name(node.target.id), node.op, node.value)
            names[node.target.id] = self.value(binary, names, depth)
        elif isinstance(node, Function):
            names[node.name] = node
        elif isinstance(node, ast.Return | ast.Expr) and node.value is not None:
            value = self.value(node.value, names, depth)
            return value if isinstance(node, ast.Return) else None
        return None

    # -- expressions

    def value(self, node: ast.expr, names: Names, depth: int) -> Any:
        """The value of an expression."""
        read = READERS.get(type(node))
        return None if read is None else read(self, node, names, depth)

    def dims(self, value: Any, after: bool = False) -> Dims | None:
        """The last sizes of a tensor. A parameter's value becomes a matrix by its name, or, among
        other cases, if it stands `after` the other operand of a product."""
        if isinstance(value, Place):
            matrix = _is_matrix(value.path[-1]) or (after and len(value.path) > 1)
            rank = 2 if matrix else 1
            same = tuple(_AFTER.sub("", part) for part in value.path)
            fresh = self.leaves.get(same) or tuple(self.equations.fresh() for _ in range(rank))
            return self.leaves.setdefault(value.path, self.leaves.setdefault(same, fresh))
        return value if isinstance(value, tuple) else None

    def product(self, left: Any, right: Any) -> Dims | None:
        """The last sizes of the product of two tensors, one of which is a matrix."""
        one, other = self.dims(left), self.dims(right, after=True)
        if max(len(one or ()), len(other or ())) == 2:
            self.use(left, right)
        if not one and other and len(other) == 2:
            return other[1:]
        if not one or not other or len(one) + len(other) < 3:
            return None
        if len(other) == 1:
            self.columns = True
            self.equations.same(one[1], other[0])
            return one[:1]
        self.equations.same(one[-1], other[0])
        return (*one[:-1], other[1])

    def number(self, size: Size, number: int) -> None:
        """States the value of a size."""
        self.numbers.append((size, number))

    def convolved(self, image: Any, kernel: Any) -> Dims | None:
        """The result of convolving images with a kernel: few channels, since convolutions would be
        slow with many."""
        if not isinstance(kernel, Place) or len(kernel.path) < 2:
            return None
        both = (self.equations.fresh(), self.equations.fresh())
        channels = self.leaves.setdefault(kernel.path, both)
        if len(channels) != 2:
            return None
        self.kernels.add(kernel.path)
        self.use(kernel)
        before = image if isinstance(image, tuple) else None
        if before:
            self.equations.same(before[-1], channels[0])
        self.numbers += [(size, SIZES["C"]) for size in channels]
        return channels[1:]

    def joined(self, sizes: Sequence[Size]) -> Size:
        """The size of parts that are concatenated."""
        return self.equations.sum(sizes)

    def use(self, *values: Any) -> None:
        """Marks the places of values whose sizes are now known."""
        self.used.update(v.path for v in values if isinstance(v, Place))

    def key(self, place: Place) -> Place:
        """Records a place that the code reaches by a string, and returns it."""
        self.keyed[place.path] = None
        return place

    def together(self, values: Sequence[Any]) -> Dims | None:
        """The last sizes of an elementwise result of tensors, which all have the same last size.
        Operands that are not known to be tensors imply nothing."""
        known = [v for v in values if isinstance(v, tuple) and v]
        places = [v for v in values if isinstance(v, Place)]
        if known:
            self.use(*places)
        dims = [d for d in map(self.dims, [*known, *places]) if d]
        for other in dims[1:]:
            self.equations.same(dims[0][-1], other[-1])
        return max(dims, key=len) if dims else None


def _is_matrix(name: str) -> bool:
    return kind_of(name) in _MATRICES or re.fullmatch(r"[WUR]([a-z_]\w*)?", name) is not None


def _is_vector(name: str) -> bool:
    if _NORM.fullmatch(name):
        return True
    return kind_of(name) == "bias" or re.fullmatch(r"(b|g)(ias|ain)?_?\w{0,2}", name) is not None
