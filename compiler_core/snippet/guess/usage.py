"""What a function's code implies for its parameters: `b, t, d = x.shape` has three dimensions,
`F.embedding(ids, table)` takes integers, `batch["x"]` is a dict."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from compiler_core.snippet.guess.columns import Columns, columns
from compiler_core.snippet.guess.counted import counted
from compiler_core.snippet.guess.gone_over import keys_gone_over
from compiler_core.snippet.guess.indices import indices
from compiler_core.snippet.guess.ranks import ranks
from compiler_core.snippet.source import Definition, Source

# The kinds of the arguments of the frameworks' functions, by the function's name; "" for none.
_CALLS: dict[str, tuple[str, ...]] = {
    "embedding": ("ids", "table"),
    "one_hot": ("labels",),
    "gather": ("", "", "ids"),
    "index_select": ("", "", "ids"),
    **dict.fromkeys(
        ("index_add", "index_add_", "index_copy_", "index_fill_", "scatter_add", "scatter_add_",
         "scatter_reduce", "scatter_reduce_", "scatter_", "index_reduce_"), ("", "", "ids")
    ),
    "bincount": ("ids",),
    "take": ("", "ids"),
    "take_along_axis": ("", "ids"),
    "segment_sum": ("", "ids"),
    "cross_entropy": ("logits", "labels"),
    "nll_loss": ("logits", "labels"),
    "linear": ("", "weight", "bias"),
    "conv1d": ("signal", "weight", "bias"),
    "conv2d": ("image", "kernel2", "bias"),
    "conv3d": ("volume", "weight", "bias"),
    "max_pool2d": ("image",),
    "avg_pool2d": ("image",),
    "interpolate": ("image",),
    "batch_norm": ("", "bias", "bias", "bias", "bias"),
    "layer_norm": ("", "", "bias", "bias"),
    "scaled_dot_product_attention": ("attention", "attention", "attention", "mask"),
    "conv_general_dilated": ("channels_last", "kernel_last"),
    "conv": ("channels_last", "kernel_last"),
    "where": ("mask",),
    "switch": ("place",),
    "masked_fill": ("", "mask"),
    **dict.fromkeys(
        ("normal", "uniform", "bernoulli", "categorical", "gumbel", "split", "fold_in", "randint",
         "truncated_normal", "permutation", "choice"), ("key",)
    ),
}  # fmt: skip
_CHANNELS_LAST = ("(0, 2, 3, 1)", "(0, 2, 3, 1))")
# The position of the argument that is a slice's start.
_STARTS = {
    "dynamic_slice": 1, "dynamic_slice_in_dim": 1, "dynamic_index_in_dim": 1,
    "dynamic_update_slice": 2, "dynamic_update_slice_in_dim": 2, "dynamic_update_index_in_dim": 2,
}  # fmt: skip
# The subscript that adds an axis at the end.
_AT_THE_END = "(..., None)"
# Functions that count only as those of jax.random: torch.split splits a tensor.
_OF_RANDOM = frozenset(name for name, kinds in _CALLS.items() if kinds == ("key",))
_RANDOM = re.compile(r"random|^(jr|jrand|jrng|jrnd|rnd)\.")


# The strings that a value is subscripted with, and those of each part: `p["head"]["weight"]`.
Keys = dict[str, "Keys"]


@dataclass
class Usage:
    """How the code uses one parameter. `letters` are the names of its dimensions, from a shape that
    is unpacked or an einsum; `rank` is the least number of them. `parts` are the names that the
    value is unpacked to, `inside` how these are used; `keys` are those that it is subscripted with,
    `fields` its attributes; `number` whether it is used as one; `called` how many arguments it is
    called with; `columns` how many the code takes; `said` whether the letters are written beside
    the code; `spread` whether it is given another axis at the end."""

    letters: tuple[str, ...] | None = None
    rank: int | None = None
    kinds: list[str] = field(default_factory=list)
    parts: tuple[str, ...] = ()
    inside: "dict[str, Usage]" = field(default_factory=dict)
    keys: Keys = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)
    number: bool = False
    called: int | None = None
    columns: Columns | None = None
    said: bool = False
    spread: bool = False


def usages(
    definition: Definition | ast.Lambda, names: list[str], inside: bool = True
) -> dict[str, Usage]:
    """How the definition's code uses its parameters `names`, and what is unpacked from them."""
    found = {name: Usage() for name in names}
    for node in ast.walk(definition):
        for read in _READERS.get(type(node), ()):
            read(node, found)
    for name, each in columns(definition, names).items():
        found[name].columns = each
    for name in counted(definition, names):
        found[name].number = True
    for name in names if inside else ():
        inner = [part for part in found[name].parts if part not in found]
        found[name].inside = usages(definition, inner, inside=False) if inner else {}
    for name, key in keys_gone_over(definition, names):
        found[name].keys.setdefault(key, {})
    for name, rank in ranks(definition, names).items():
        found[name].rank = max(rank, found[name].rank or 0)
    for name, kind in indices(definition, names).items():
        found[name].kinds.append(kind)
    return found


def with_keys(used: dict[str, Usage], paths: Iterable[tuple[str, ...]]) -> dict[str, Usage]:
    """`used`, with the strings by which this function and others reach values inside of the
    parameters, in the order of `paths`."""
    ordered: Keys = {}
    for name, *keys in paths:
        inner = ordered.setdefault(name, {})
        for key in keys:
            inner = inner.setdefault(key, {})
    for name, usage in used.items():
        usage.keys = _merged(ordered.get(name, {}), usage.keys)
    return used


def _merged(first: Keys, second: Keys) -> Keys:
    every = dict.fromkeys([*first, *second])
    return {key: _merged(first.get(key, {}), second.get(key, {})) for key in every}


def definition_at(source: Source, line: int, name: str) -> Definition | ast.Lambda | None:
    """The function that begins, or whose decorators begin, at `line`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Lambda) and name == "<lambda>" and node.lineno == line:
            return node
        if isinstance(node, Definition) and name == node.name:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if line in (first, node.lineno):
                return node
    return None


def _assigned(node: ast.Assign, found: dict[str, Usage]) -> None:
    """`b, t, d = x.shape`, `x.size()`, `jnp.shape(x)`; `w, b = params`."""
    target = node.targets[0]
    if not isinstance(target, ast.Tuple | ast.List):
        return
    if any(isinstance(t, ast.Starred) for t in target.elts):
        return
    names = tuple(t.id if isinstance(t, ast.Name) else "_" for t in target.elts)
    shaped = _shape_of(node.value)
    if shaped in found:
        found[shaped].letters = found[shaped].letters or names
    elif isinstance(node.value, ast.Name) and node.value.id in found:
        found[node.value.id].parts = names


def _shape_of(node: ast.expr) -> str:
    """The name whose whole shape the expression is; "" for others."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        node = node.func
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _name(node.args[0]) if node.func.attr == "shape" else ""
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "size"):
        return _name(node.value)
    return ""


def _called(node: ast.Call, found: dict[str, Usage]) -> None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
    if _name(node.func) in found:
        found[name].called = len(node.args)
    if name == "einsum":
        return _einsum(node, found)
    if name in _STARTS:
        _placed(node, name, found)
    if name in _OF_RANDOM and not _RANDOM.search(ast.unparse(node.func)):
        return None
    kinds = ("moved",) if _moves_channels(node, name) else _CALLS.get(name, ())
    arguments = list(node.args)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    computed = isinstance(owner, ast.Call | ast.BinOp | ast.Subscript)
    if owner is not None and (computed or _name(owner) in found):
        arguments = [owner, *arguments]  # of a method: its object comes first
    for argument, kind in zip(arguments, kinds, strict=False):
        if kind and _name(argument) in found:
            found[_name(argument)].kinds.append(kind)
        elif kind == "ids" and (column := _name(_of_column(argument))) in found:
            found[column].kinds.append("labels")
    return None


def _of_column(node: ast.expr) -> ast.expr:
    """`y` of `y[:, None]` and `y.unsqueeze(1)`, which is a column then."""
    match node:
        case ast.Subscript(value=of, slice=ast.Tuple(elts=[_, ast.Constant(value=None)])):
            return of
        case ast.Call(func=ast.Attribute(value=of, attr="unsqueeze")):
            return of
    return node


def _moves_channels(node: ast.Call, name: str) -> bool:
    """`x.permute(0, 2, 3, 1)`, `jnp.transpose(x, (0, 2, 3, 1))`: of an image, the channels last."""
    return name in ("permute", "transpose") and ast.unparse(node).endswith(_CHANNELS_LAST)


def _placed(node: ast.Call, name: str, found: dict[str, Usage]) -> None:
    """What says where a slice begins: `dynamic_slice(x, (0, t, 0), sizes)`."""
    start = node.args[_STARTS[name]] if len(node.args) > _STARTS[name] else None
    parts = start.elts if isinstance(start, ast.Tuple | ast.List) else [start]
    for part in parts:
        if part is not None and _name(part) in found:
            found[_name(part)].kinds.append("place")


def _einsum(node: ast.Call, found: dict[str, Usage]) -> None:
    equation = node.args[0] if node.args else None
    if not isinstance(equation, ast.Constant) or not isinstance(equation.value, str):
        return
    terms = equation.value.partition("->")[0].replace(" ", "").split(",")
    for term, operand in zip(terms, node.args[1:], strict=False):
        owner = operand.value if isinstance(operand, ast.Subscript) else operand
        if _name(owner) in found and "." not in term:
            usage = found[_name(owner)]
            usage.letters = usage.letters or tuple(_indexed(term, operand))


def _indexed(term: str, operand: ast.expr) -> Iterator[str]:
    """The letters of what is subscripted to give an einsum's operand: a place is taken in time."""
    letters = iter(term)
    if isinstance(operand, ast.Subscript):
        index = operand.slice
        for part in index.elts if isinstance(index, ast.Tuple) else [index]:
            yield next(letters, "t") if isinstance(part, ast.Slice) else "t"
    yield from letters


def _subscripted(node: ast.Subscript, found: dict[str, Usage]) -> None:
    """`batch["x"]`, `table[ids]`, `x[:, None, :]`."""
    index, owner = node.slice, _name(node.value)
    base, path = _path(node)
    if path and base in found:
        keys = found[base].keys
        for key in path:
            keys = keys.setdefault(key, {})
    elif _name(index) in found and not _is_shape(node.value):
        found[_name(index)].kinds.append("ids")
    elif isinstance(node.value, ast.Attribute) and node.value.attr == "at":
        parts = index.elts if isinstance(index, ast.Tuple) else []
        places = [_name(p) for p in parts if not isinstance(p, ast.Slice | ast.Constant)]
        if len(places) == 1 and places[0] in found:
            found[places[0]].kinds.append("place")
    elif owner in found and isinstance(index, ast.Tuple):
        parts = index.elts
        found[owner].spread |= ast.unparse(index) == _AT_THE_END
        if not any(isinstance(p, ast.Constant) and p.value is Ellipsis for p in parts):
            taken = sum(not (isinstance(p, ast.Constant) and p.value is None) for p in parts)
            found[owner].rank = max(taken, found[owner].rank or 0)


def _path(node: ast.expr) -> tuple[str, tuple[str, ...]]:
    """Of `p["a"]["b"]`, the name and the texts; no texts where any index is none."""
    path: tuple[str, ...] = ()
    while isinstance(node, ast.Subscript):
        index = node.slice
        if not isinstance(index, ast.Constant) or not isinstance(index.value, str):
            return "", ()
        node, path = node.value, (index.value, *path)
    return _name(node), path


def _is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _attribute(node: ast.Attribute, found: dict[str, Usage]) -> None:
    if _name(node.value) in found and node.attr not in found[_name(node.value)].fields:
        found[_name(node.value)].fields.append(node.attr)


_READERS: dict[type, tuple[Callable[..., None], ...]] = {
    ast.Assign: (_assigned,),
    ast.Call: (_called,),
    ast.Subscript: (_subscripted,),
    ast.Attribute: (_attribute,),
}


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""
