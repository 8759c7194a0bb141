"""The sizes of tensors that expressions compute, for products.py and einsums.py: of operators, of
either framework's functions, and of the snippet's own functions, whose code is read in their
place."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from compiler_core.report import Framework
from compiler_core.snippet.guess.equations import Size
from compiler_core.snippet.guess.loops import EACH, LAST, PARTS

Function = ast.FunctionDef | ast.AsyncFunctionDef
Code = Function | ast.Lambda
# A parameter, and what it is subscripted with, unpacked to or asked for: ("params", "Wx").
Path = tuple[str, ...]
# The last sizes of a tensor.
Dims = tuple[Size, ...]
# By variable: a tensor's sizes, a place, a list of such, or a function; None for anything else.
Names = dict[str, Any]
_DEEPEST = 8
_TRANSPOSED = ("T", "mT", "t")
# Functions that return a function of the same arguments.
OF_SAME = frozenset(("value_and_grad", "grad", "jit", "checkpoint", "remat"))
_JOINED = ("concatenate", "concat", "cat", "hstack")
_ACROSS = (0, -2)
ALONG = frozenset((
    "sigmoid", "tanh", "relu", "gelu", "silu", "swish", "softmax", "log_softmax", "exp", "log",
    "softplus", "elu", "leaky_relu", "sin", "cos", "abs", "square", "sqrt", "clip", "clamp",
    "dropout", "stop_gradient", "detach", "astype", "where", "maximum", "minimum", "add",
    "subtract", "multiply", "layer_norm", "contiguous", "float", "zeros_like", "ones_like",
))  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A value inside of the parameters, by its path."""

    path: Path


@dataclass(frozen=True)
class Rearranged:
    """A tensor that was reshaped: its sizes divide those that it had, of which `last` was the
    last."""

    last: Size


def parts(target: ast.expr, value: Any) -> Iterator[Place]:
    """The places of the parts that an assignment unpacks each of several values to."""
    several = isinstance(value, Place) and value.path[-1] in (EACH, LAST)
    if isinstance(target, ast.Tuple) and isinstance(value, Place) and several:
        names = (part.id for part in target.elts if isinstance(part, ast.Name))
        yield from (Place((*value.path, name)) for name in (PARTS, *names))


def bind(target: ast.expr, value: Any, names: Names) -> None:
    """Binds the names of an assignment's target to the parts of a value."""
    if isinstance(target, ast.Name):
        names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        for i, part in enumerate(target.elts):
            if isinstance(value, Place) and isinstance(part, ast.Name):
                names[part.id] = Place((*value.path, part.id))
            elif isinstance(value, list) and i < len(value):
                bind(part, value[i], names)


class Reader(Protocol):
    """A reader of a function's code (products.py, einsums.py)."""

    framework: Framework
    functions: Mapping[str, Function]
    parts: list[Size]

    def run(self, code: Code, names: Names, depth: int) -> Any: ...
    def value(self, node: ast.expr, names: Names, depth: int) -> Any: ...
    def dims(self, value: Any) -> Dims | None: ...
    def product(self, left: Any, right: Any) -> Dims | None: ...
    def use(self, *values: Any) -> None: ...
    def key(self, place: Place) -> Place: ...
    def together(self, values: Sequence[Any]) -> Dims | None: ...
    def number(self, size: Size, number: int) -> None: ...
    def convolved(self, image: Any, kernel: Any) -> Dims | None: ...
    def joined(self, sizes: Sequence[Size]) -> Size: ...


def _attribute(reader: Reader, node: ast.Attribute, names: Names, depth: int) -> Any:
    value = reader.value(node.value, names, depth)
    if node.attr in _TRANSPOSED:
        dims = reader.dims(value)
        reader.use(value)
        return None if dims is None else dims[::-1]
    return Place((*value.path, node.attr)) if isinstance(value, Place) else None


def _subscript(reader: Reader, node: ast.Subscript, names: Names, depth: int) -> Any:
    value = reader.value(node.value, names, depth)
    index = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if isinstance(value, Place) and isinstance(index, str):
        return reader.key(Place((*value.path, index)))
    if isinstance(value, Place) and ast.unparse(node.slice) == "-1":  # the last of several
        return Place((*value.path, LAST))
    if isinstance(value, list):
        return value[index] if isinstance(index, int) and index < len(value) else None
    return None


def _binary(reader: Reader, node: ast.BinOp, names: Names, depth: int) -> Any:
    sides = [reader.value(side, names, depth) for side in (node.left, node.right)]
    if isinstance(node.op, ast.MatMult):
        return reader.product(*sides)
    return reader.together(sides)


def _tuple(reader: Reader, node: Any, names: Names, depth: int) -> Any:
    return [reader.value(part, names, depth) for part in node.elts]


def _call(reader: Reader, node: ast.Call, names: Names, depth: int) -> Any:
    given = [reader.value(a, names, depth) for a in node.args]
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if isinstance(node.func, ast.Attribute):
        owner = reader.value(node.func.value, names, depth)
        given = given if owner is None else [owner, *given]
    if (name in OF_SAME or name == "vmap") and given and isinstance(given[0], Code):
        return given[0]
    own = None if isinstance(node.func, ast.Attribute) else reader.value(node.func, names, depth)
    if isinstance(own, Code):
        return _inlined(reader, own, given, node, names, depth)
    if name == "scan" and len(given) > 2 and isinstance(given[0], Code):
        return _scanned(reader, given[0], given[1:3], node, names, depth)
    rule = _RULES.get(name)
    if rule is not None and given:
        return rule(reader, given, node)
    return reader.together(given) if name in ALONG else None


def _scanned(
    reader: Reader, code: Code, given: list[Any], node: ast.Call, names: Names, depth: int
) -> Any:
    """A second time with what is carried on: a state that begins as zeros has the sizes of what
    it becomes."""
    result = _inlined(reader, code, given, node, names, depth)
    if not isinstance(result, list) or not result or not _is_sized(result[0]):
        return result
    return _inlined(reader, code, [result[0], *given[1:]], node, names, depth)


def _is_sized(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return any(isinstance(part, tuple) for part in parts)


def _inlined(
    reader: Reader, code: Code, given: list[Any], node: ast.Call,
    names: Names, depth: int,
) -> Any:  # fmt: skip
    if depth == _DEEPEST:
        return None
    own = dict(zip((a.arg for a in code.args.args), given, strict=False))
    named = {k.arg: reader.value(k.value, names, depth) for k in node.keywords if k.arg}
    taken = {**own, **named}
    several = [reader.value(k.value, names, depth) for k in node.keywords if not k.arg]
    for place in several:  # `linear(x, **p)` has p["w"] and p["b"]
        if isinstance(place, Place):
            rest = (name for name in _needed(code) if name not in taken)
            taken |= {name: reader.key(Place((*place.path, name))) for name in rest}
    return reader.run(code, {**names, **taken}, depth + 1)


def _needed(code: Code) -> list[str]:
    """The parameters without defaults."""
    arguments = [*code.args.posonlyargs, *code.args.args]
    required = arguments[: len(arguments) - len(code.args.defaults)]
    only = zip(code.args.kwonlyargs, code.args.kw_defaults, strict=True)
    return [a.arg for a in (*required, *(a for a, default in only if default is None))]


def _named(reader: Reader, node: ast.Name, names: Names, depth: int) -> Any:
    return names.get(node.id, reader.functions.get(node.id))


READERS: dict[type, Callable[..., Any]] = {
    ast.Name: _named,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.UnaryOp: lambda reader, node, *at: reader.value(node.operand, *at),
    ast.IfExp: lambda reader, node, *at: reader.value(node.body, *at),
    ast.Lambda: lambda reader, node, *at: node,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.Call: _call,
}


# -- what functions do with sizes


def _product(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    return reader.product(given[0], given[1]) if len(given) > 1 else None


def _linear(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    """torch's, whose weights have a row for each result."""
    matrix = reader.dims(given[1]) if len(given) > 1 else None
    reader.use(*given[:2])
    return reader.together([reader.product(given[0], matrix and matrix[::-1]), *given[2:]])


def _split(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    """In equal parts: torch.split is told their size."""
    name = getattr(node.func, "attr", "")
    count = next((a.value for a in node.args if isinstance(a, ast.Constant)), None)
    dims = (given[0].last,) if isinstance(given[0], Rearranged) else reader.dims(given[0])
    if (
        not dims
        or type(count) is not int
        or count < 1
        or (name == "split" and reader.framework == "torch")
    ):
        return None
    part = dims[-1].times(Fraction(1, count))
    reader.parts.append(part)
    return None if isinstance(given[0], Rearranged) else [(*dims[:-1], part)] * count


def _rearranged(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    dims = reader.dims(given[0])
    return Rearranged(dims[-1]) if dims else None


def _swapped(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    """Of the axes before the last."""
    axes = {a.value for a in node.args if isinstance(a, ast.Constant)}
    dims = reader.dims(given[0]) if axes == {0, 1} else None
    return dims[-1:] if dims else None


def _joined(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    axes = [k.value for k in node.keywords if k.arg in ("axis", "dim")] + node.args[1:]
    parts = given[0] if isinstance(given[0], list) else []
    dims = [reader.dims(part) for part in parts]
    across = bool(axes) and ast.unparse(axes[0]) in map(str, _ACROSS)
    if not dims or across or not all(dims):
        return None
    reader.use(*parts)
    return (reader.joined([d[-1] for d in dims if d]),)


def _convolved(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    """JAX's, of images whose channels are last."""
    last = "HWIO" in ast.unparse(node) and len(given) > 1
    return reader.convolved(given[0], given[1]) if last else None


def _pooled(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    """Over several axes by their numbers, the last not among them: `x.mean((1, 2))`."""
    axes = [*node.args, *(k.value for k in node.keywords if k.arg == "axis")]
    dims = reader.dims(given[0]) if any(isinstance(a, ast.Tuple) for a in axes) else None
    return dims[-1:] if dims else None


def _squeezed(reader: Reader, given: list[Any], node: ast.Call) -> Any:
    """Of one column its numbers: `y.squeeze(-1)`, where `y` is a product."""
    axes = [ast.unparse(a) for a in (*node.args, *(k.value for k in node.keywords))]
    dims = given[0] if isinstance(given[0], tuple) else None
    if dims and axes[-1:] == ["-1"]:
        reader.number(dims[-1], 1)
    return None


_RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("dot", "matmul", "mm"), _product),
    **dict.fromkeys(("reshape", "view"), _rearranged),
    **dict.fromkeys(("swapaxes", "moveaxis", "transpose"), _swapped),
    "linear": _linear,
    "squeeze": _squeezed,
    "conv_general_dilated": _convolved,
    **dict.fromkeys(("mean", "var", "std", "sum", "max"), _pooled),
    "split": _split,
    "chunk": _split,
    **dict.fromkeys(_JOINED, _joined),
}
