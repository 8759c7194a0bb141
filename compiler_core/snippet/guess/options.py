"""The possible values of a parameter, likeliest first, each with the reason for it."""

import ast
import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from types import FunctionType, ModuleType
from typing import Any

from compiler_core.inputs import Arguments, InputSpec, Listed, Literal, Mapped, Named, New, Value
from compiler_core.report import Framework
from compiler_core.snippet.guess.annotations import Said, said_of
from compiler_core.snippet.guess.hints import KINDS, SIZES, kind_of, number_of, size_of
from compiler_core.snippet.guess.layers import Layer
from compiler_core.snippet.guess.usage import Usage

_MOST = 20
_LIST = 3
_CONFIGS = ("config", "cfg", "args", "hparams", "conf", "params", "opt", "hps", "c")
# By letter, the other sizes that images and signals often have.
_IMAGES = (32, 28, 224, 64, 16)
_TENSOR_ATTRIBUTES = frozenset(("shape", "dtype", "device", "T", "ndim", "size", "mT"))


@dataclass(frozen=True)
class Option:
    """A value, and why it is one: "name", "annotation"."""

    value: Value
    why: str


@dataclass(frozen=True)
class Context:
    """What is known besides the parameter. `constructor`: it is a constructor's parameter."""

    framework: Framework
    module: ModuleType
    tree: ast.Module
    constructor: bool = False
    layers: Sequence[Layer] = ()
    usages: Mapping[str, Usage] = field(default_factory=dict)


def options_of(parameter: inspect.Parameter, context: Context) -> list[Option]:
    """The possible values: at least one, and at most 20."""
    found = dict[str, Option]()
    for option in _all(parameter, context):
        found.setdefault(str(option.value), option)
    return list(found.values())[:_MOST]


def _all(parameter: inspect.Parameter, context: Context) -> Iterator[Option]:
    name, said = parameter.name, said_of(_resolved(parameter.annotation, context.module))
    if _is_value(context.module.__dict__.get(name)):
        yield Option(Named(name), "the variable of that name")
    if said.kind:
        yield from (Option(v, "annotation") for v in _annotated(name, said, context))
        if said.kind != "class":
            return
    usage = context.usages.get(name, Usage())
    yield from _configured(name, usage, context)
    if context.constructor or usage.number:
        yield from _numbers(name)
    else:
        yield from _tensors_or_numbers(name, usage, context)


def _resolved(annotation: Any, module: ModuleType) -> Any:
    """`from __future__ import annotations` leaves texts."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, module.__dict__)
    except Exception:
        return annotation


def _is_value(value: Any) -> bool:
    """Whether a variable of the snippet is what a function could be given."""
    return value is not None and not isinstance(value, FunctionType | ModuleType | type)


def _annotated(name: str, said: Said, context: Context) -> Iterator[Value]:
    if said.spec is not None:
        yield _in(context, said.spec)
    elif said.kind == "tensor":
        for option in _tensors(name, context.usages.get(name, Usage()), context):
            if not said.dtype:
                yield option.value
            elif isinstance(option.value, InputSpec):
                yield InputSpec(said.dtype, option.value.shape)
    elif said.kind in ("int", "float", "bool", "str"):
        yield from (Literal(v) for v in _of_type(name, said.kind))
    elif said.kind == "list":
        element = said.element or Said("tensor")
        yield from (Listed((v,) * _LIST) for v in _annotated(name, element, context))
    elif said.cls is not None:
        yield from _constructed(said.cls, context)


def _of_type(name: str, kind: str) -> Iterator[Any]:
    known = number_of(name)
    if kind == "str":
        yield from ("mean", "sum", "none", "relu", "same")
    elif kind == "bool":
        yield from (known if isinstance(known, bool) else False, True)
    elif kind == "float":
        yield from (float(known) if known is not None else 0.5, 1.0, 0.1)
    else:
        yield from (int(known) if known is not None and known >= 1 else 2, 2, 1, 256, 64, 8, 16)


def _numbers(name: str) -> Iterator[Option]:
    known = number_of(name)
    if known is not None:
        yield Option(Literal(known), "name")
    yield from (Option(Literal(v), "trial") for v in (256, 2, 64, 16, 1, 0.5, True))


def _configured(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """An object of the snippet's class of settings; one with the attributes that it reads, where it
    has none."""
    if name.lower() not in _CONFIGS and "config" not in name.lower():
        return
    classes = [c for c in vars(context.module).values() if _is_settings(c)]
    for cls in classes:
        yield from (Option(v, "the class of settings") for v in _constructed(cls, context))
    for variable, value in vars(context.module).items():
        if type(value) in classes:
            yield Option(Named(variable), "the variable with settings")
    read = _attributes(context.tree, name)
    if read and not classes:
        keywords = tuple((a, Literal(number_of(a) or 2)) for a in read)
        yield Option(New("SimpleNamespace", Arguments((), keywords)), "the attributes that it has")


def _is_settings(value: Any) -> bool:
    names = ("config", "args", "params", "settings", "cfg")
    own = inspect.isclass(value) and value.__module__ == "__main__"
    return own and any(n in value.__name__.lower() for n in names)


def _attributes(tree: ast.Module, name: str) -> list[str]:
    """The attributes that any code of the snippet reads of something called `name`."""
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    own = (n.attr for n in found if isinstance(n.value, ast.Name) and n.value.id == name)
    return [a for a in dict.fromkeys(own) if a not in _TENSOR_ATTRIBUTES]


def _constructed(cls: type, context: Context) -> Iterator[Value]:
    """An object of a class of the snippet: with its defaults, and guesses for fields that have
    none."""
    if context.module.__dict__.get(cls.__name__) is not cls:
        return
    required = _required(cls)
    if required is None:
        return
    inner = Context(context.framework, context.module, context.tree, not is_dataclass(cls))
    keywords = tuple((p.name, options_of(p, inner)[0].value) for p in required)
    yield New(cls.__name__, Arguments((), keywords))


def _required(cls: type) -> list[inspect.Parameter] | None:
    try:
        return required(inspect.signature(cls))
    except (TypeError, ValueError):
        return [] if is_dataclass(cls) and not fields(cls) else None


def required(signature: inspect.Signature) -> list[inspect.Parameter]:
    """The parameters that a call must give."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    own = signature.parameters.values()
    return [p for p in own if p.default is p.empty and p.kind not in variable]


def _tensors_or_numbers(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    known, kind = number_of(name), kind_of(name)
    is_number = known is not None and kind is None and usage.letters is None and len(name) > 1
    if is_number:
        yield Option(Literal(known), "name")
    yield from list(_tensors(name, usage, context))[: _MOST - 3]
    if known is not None and not is_number:
        yield Option(Literal(known), "name")
    yield from (Option(Literal(v), "trial") for v in (2, 0.5))


def _tensors(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """By the code, then by layers and names; those of the rank that the code says come first."""
    if usage.keys:
        items = ((Literal(k), _first(k, context)) for k in usage.keys)
        yield Option(Mapped(tuple(items)), "the code")
    likely = list(_by_letters(usage, context))
    named = list(_by_name(name, usage, context))
    rank = len(usage.letters) if usage.letters is not None else None
    if rank is not None:
        named.sort(key=lambda option: _rank(option) != rank)
    elif usage.rank is not None:
        named.sort(key=lambda option: _rank(option) < (usage.rank or 0))
    yield from likely
    if usage.parts and not usage.kinds:
        packed = Listed(tuple(_first(p, context) for p in usage.parts), "(")
        ids = (o for o in named if isinstance(o.value, InputSpec) and o.value.dtype == "i64")
        first = [*ids] if kind_of(name) in ("edges", "ids") else []
        yield from (*first, Option(packed, "the code"))
    yield from named


def _first(name: str, context: Context) -> Value:
    """The likeliest tensor of a name, for what is inside of others."""
    bare = Context(context.framework, context.module, context.tree)
    return next(_tensors(name, Usage(), bare)).value


def _rank(option: Option) -> int:
    return len(option.value.shape) if isinstance(option.value, InputSpec) else 0


def _by_letters(usage: Usage, context: Context) -> Iterator[Option]:
    if usage.letters is None:
        return
    shape = tuple(size_of(letter) for letter in usage.letters)
    dtype = (
        "i64" if "ids" in usage.kinds or any(x.kind == "ids" for x in context.layers[:1]) else "f32"
    )
    for layer in context.layers:
        if layer.kind not in ("image", "signal", "volume", "ids"):
            sized = (*shape[:-1], layer.size)
            yield Option(_in(context, InputSpec(dtype, sized)), f"the code and {_said(layer)}")
        elif layer.kind != "ids" and len(shape) > 1:
            sized = (shape[0], layer.size, *shape[2:])
            yield Option(_in(context, InputSpec(dtype, sized)), f"the code and {_said(layer)}")
    yield Option(_in(context, InputSpec(dtype, shape)), "the code")


def _by_name(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    kind = kind_of(name)
    for used in usage.kinds:
        yield from _of_kind(used, context, "the code")
    if kind is not None and kind not in ("attention", "bias", "table", "weight"):
        yield from _of_kind(kind, context, "name")
    for layer in context.layers:
        yield from _of_layer(layer, context)
    if kind is not None:
        yield from _of_kind(kind, context, "name")
    yield from _of_kind("features", context, "trial")


def _of_kind(kind: str, context: Context, why: str) -> Iterator[Option]:
    yield from (Option(_in(context, spec), why) for spec in specs_of(kind, SIZES))


def _of_layer(layer: Layer, context: Context) -> Iterator[Option]:
    sizes = dict(SIZES)
    if layer.kind != "ids":
        sizes[layer.letter] = layer.size
    for spec in _layer_specs(layer, sizes):
        yield Option(_in(context, spec), _said(layer))


def _layer_specs(layer: Layer, sizes: dict[str, int]) -> Iterator[InputSpec]:
    if layer.kind == "image":
        for side in _IMAGES:
            yield InputSpec("f32", (sizes["B"], layer.size, side, side))
    elif layer.kind == "features":
        yield from _sized(("f32[N,D]", "f32[B,T,D]", "f32[D]"), sizes)
        side = math.isqrt(layer.size)
        if side * side == layer.size and layer.size > 64:  # an image that is flattened
            yield InputSpec("f32", (sizes["B"], 1, side, side))
    elif layer.kind == "sequence":
        yield from _sized(("f32[T,B,D]", "f32[B,T,D]", "f32[T,D]"), sizes)
    elif layer.kind == "ids":
        yield from _sized(("i64[B,T]", "i64[T]", "i64[N]"), sizes)
    else:
        yield from _sized(KINDS[layer.kind][:1], sizes)


def _said(layer: Layer) -> str:
    return layer.name if layer.name.startswith("a ") else f"the layer {layer.name}"


def specs_of(kind: str, sizes: Mapping[str, int]) -> list[InputSpec]:
    """The specs of a kind of tensor, with `sizes` for its letters."""
    return list(_sized(KINDS[kind], sizes))


def _sized(texts: Iterable[str], sizes: Mapping[str, int]) -> Iterator[InputSpec]:
    for text in texts:
        dtype, _, dims = text.rstrip("]").partition("[")
        shape = tuple(sizes.get(d) or int(d) for d in dims.split(",") if d)
        yield InputSpec(dtype, shape)


def _in(context: Context, spec: InputSpec) -> InputSpec:
    """JAX has no integers of 64 bits, unless it is told to."""
    if context.framework == "jax" and spec.dtype == "i64":
        return InputSpec("i32", spec.shape, spec.names)
    return spec
