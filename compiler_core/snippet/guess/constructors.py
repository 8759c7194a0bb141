"""What a constructor's code implies for its parameters: `zip(sizes, sizes[1:])` goes over numbers,
`base.in_features` is read of a Linear, `norm_layer(dim)` calls a class of modules."""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence

from compiler_core.inputs import Arguments, Listed, Literal, Named, New, Value
from compiler_core.snippet.guess.assigned import Assigned, assigned
from compiler_core.snippet.guess.expressions import ALONG
from compiler_core.snippet.guess.hints import SIZES, number_of, sizes_of
from compiler_core.snippet.guess.ranks import elementwise
from compiler_core.snippet.guess.usage import Usage

_COLOURS = 3
# Numbers for widths from one layer to the next, and for anything else.
_WIDTHS, _OTHERS = (256, 64, 16), (2, 2, 2)
_OVER = ("zip", "enumerate", "reversed", "len", "pairwise", "list", "tuple", "sum", "max")
_COUNTS = re.compile("depth|block|stride|kernel|layer|repeat|dilation|rate")
_SIZED = re.compile("size|hidden|dim|width|channel|feature|unit")
# By a part of a parameter's name, the class of torch.nn for it.
_CALLED = (("norm", "LayerNorm"), ("act", "GELU"), ("nonlin", "GELU"))
# Functions that keep a tensor, with the position of that argument.
_KEEPS = {"Parameter": 0, "register_buffer": 1, "from_pretrained": 0}
_MAKES = re.compile(r"\.(as_?)?(tensor|array)$")
_SEVERAL = re.compile("mean|std|[^s]s$")
# Attributes that tensors have, and neither numbers nor modules.
_OF_TENSOR = frozenset((
    "detach", "clone", "shape", "ndim", "dim", "mean", "sum", "norm", "numel", "view", "reshape",
    "unsqueeze", "squeeze", "flatten", "permute", "transpose", "contiguous", "T", "mT", "dtype",
    "device", "abs", "max", "min", "argmax", "log", "exp", "sqrt",
))  # fmt: skip
# Those of them that settings have too.
_OF_SETTINGS = frozenset(("dtype", "device"))
_OF_TENSORS = ALONG | {"cumprod", "cumsum", "flip", "diff", "mean", "sum", "norm", "sort"}
# Attributes that a Linear has, and no number.
_OF_LINEAR = frozenset(("weight", "in_features", "out_features", "bias"))


def is_tensor(code: ast.AST, name: str, usage: Usage) -> bool:
    """Whether the code uses a parameter as a tensor: by the attributes that it reads, by what it
    keeps it as, or by how it uses its sizes."""
    read = _OF_TENSOR.intersection(usage.fields)
    if not _OF_TENSOR.issuperset(usage.fields):
        read -= _OF_SETTINGS
    given, is_read = assigned(code), bool(read) or usage.letters is not None
    return is_read or any(_keeps(n, name) or _computes(n, name, given) for n in ast.walk(code))


def _computes(node: ast.AST, name: str, given: Assigned) -> bool:
    """`torch.cumprod(1 - x, dim=0)`: torch's functions of tensors take no numbers."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=called), args=[of, *_]):
            return called in _OF_TENSORS and name in elementwise(of, given)
    return False


def _keeps(node: ast.AST, name: str) -> bool:
    """`nn.Parameter(x)`, `self.register_buffer("x", x)`, `Embedding.from_pretrained(x)`."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    at = _KEEPS.get(called)
    return at is not None and len(node.args) > at and _is(node.args[at], name)


def numbers(code: ast.AST, name: str) -> Listed | None:
    """Numbers for a parameter that the code converts to a tensor and whose name is a plural or a
    statistic of channels: one for each of three channels. None for any other parameter."""
    calls = (n for n in ast.walk(code) if isinstance(n, ast.Call) and n.args)
    is_array = any(_is(n.args[0], name) and _MAKES.search(ast.unparse(n.func)) for n in calls)
    return Listed((Literal(0.5),) * 3) if is_array and _SEVERAL.search(name) else None


def is_gone_over(code: ast.AST, name: str) -> bool:
    """Whether the code iterates over a parameter or indexes it."""
    return any(_goes_over(node, name) for node in ast.walk(code))


def _goes_over(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.For | ast.comprehension):
        return _is(node.iter, name)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OVER:
        return any(_is(a, name) for a in node.args)
    return isinstance(node, ast.Subscript) and _is(node.value, name)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _unpacked_over(code: ast.AST, name: str) -> tuple[str, ...]:
    """`ni, nf` of `for ni, nf in sizes`; nothing where the code goes over numbers."""
    loops = (n for n in ast.walk(code) if isinstance(n, ast.For | ast.comprehension))
    targets = (loop.target for loop in loops if _is(loop.iter, name))
    several = next((t for t in targets if isinstance(t, ast.Tuple)), ast.Tuple([]))
    return tuple(part.id if isinstance(part, ast.Name) else "_" for part in several.elts)


def sizes(code: ast.AST, name: str) -> Listed:
    """Numbers for a parameter that the code iterates over, by the parameter's name; tuples of
    numbers if the code unpacks each."""
    if parts := _unpacked_over(code, name):
        known = (number_of(part) for part in parts)
        each = tuple(n if type(n) is int else SIZES["S"] for n in known)
        return Listed((Listed(tuple(map(Literal, each)), "("),) * len(_OTHERS))
    few = _COUNTS.search(name.lower()) and not _SIZED.search(name.lower())
    return Listed(tuple(map(Literal, _OTHERS if few else _WIDTHS)))


def unpacked(name: str, parts: Sequence[str]) -> Listed:
    """A tuple of numbers for a parameter that the code unpacks, as in `h, w = image_size`: by the
    parameter's name or by those of the parts."""
    known = number_of(name)
    each = sizes_of(parts) if known is None else (known,) * len(parts)
    return Listed(tuple(map(Literal, each)), "(")


def modules(name: str, fields: list[str], called: bool, nn: str) -> Iterator[Value]:
    """Classes of torch.nn for a parameter that is `called`, and layers for one whose attributes
    `fields` are a layer's. `nn` is the snippet's name for torch.nn."""
    if called:
        yield from (Named(f"{nn}.{cls}") for part, cls in _CALLED if part in name.lower())
    if _OF_LINEAR.intersection(fields):
        yield linear(nn)


def linear(nn: str) -> New:
    """A Linear, which can stand in for most layers."""
    return New(f"{nn}.Linear", Arguments((Literal(256), Literal(256))))


def image_model(nn: str) -> New:
    """A model that computes one number for each class from an image."""
    pixels = _COLOURS * SIZES["I"] ** 2
    layer = New(f"{nn}.Linear", Arguments((Literal(pixels), Literal(SIZES["K"]))))
    return New(f"{nn}.Sequential", Arguments((New(f"{nn}.Flatten", Arguments()), layer)))


def language_model(nn: str) -> New:
    """A model that computes the logits of the next token from each token's embedding."""
    vocabulary, width = Literal(SIZES["V"]), Literal(SIZES["E"])
    layers = (
        New(f"{nn}.Embedding", Arguments((vocabulary, width))),
        New(f"{nn}.Linear", Arguments((width, vocabulary))),
    )
    return New(f"{nn}.Sequential", Arguments(layers))


def layer(cls: type, nn: str) -> Value | None:
    """A layer of the torch class `cls`, with numbers by the names of its required parameters; a
    Linear for torch.nn.Module itself; None if a parameter is not a known number."""
    if cls.__name__ == "Module":
        return linear(nn)
    needed = [
        p
        for p in inspect.signature(cls).parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    numbers = [number_of(p.name) for p in needed]
    if any(type(n) is not int for n in numbers):
        return None
    return New(f"{nn}.{cls.__name__}", Arguments(tuple(map(Literal, numbers))))
