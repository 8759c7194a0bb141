"""The tensors that a parameter may be, likeliest first: by the code, by layers, by its name."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from compiler_core.inputs import Drawn, InputSpec, Listed, Literal, Mapped, Value
from compiler_core.snippet.guess.columns import Columns
from compiler_core.snippet.guess.context import Context, Option
from compiler_core.snippet.guess.hints import KINDS, SIZES, is_hyperparameter, is_place, sizes_of
from compiler_core.snippet.guess.layers import Layer
from compiler_core.snippet.guess.loops import EACH, LAST, PARTS
from compiler_core.snippet.guess.makers import maker_calls
from compiler_core.snippet.guess.sized import sized
from compiler_core.snippet.guess.texts import batches
from compiler_core.snippet.guess.usage import Keys, Usage

# The sizes before a row's own.
_ROWS = ("N", "ND", "BT", "", "BHT")
# Kinds whose channels are not the last dimension, or that have no columns.
_OTHERWISE = ("image", "signal", "volume", "ids", "mask")
# Kinds that are not floats, if their number of dimensions is written.
_OF_OTHER_TYPES = ("ids", "edges", "labels", "mask", "lengths", "place")
# Kinds with one number for each example, or three as rays have, whatever they are multiplied with.
_OF_ONE_EACH = (
    "each", "prices", "rate", "points", "target", "colours", "densities", "depths",
)  # fmt: skip
# Kinds of positive numbers, and the range from which these are drawn.
_OF_POSITIVE, _POSITIVE = ("prices", "rate"), (0.1, 1.0)
# Kinds that convolutions take.
_OF_LAYERS = ("image", "channels_last", "signal", "volume")
# Other sizes that images and signals often have, for a letter.
_IMAGES = (32, 28, 224, 64, 16)
# How many blocks, layers or steps a list has.
_EQUAL = 2
_COUNT = re.compile(r"(global_?)?step(_count)?|count|iteration|epoch")
_LENGTH = re.compile(r"ctx|context|len(gth)?$|seq|window|frames")
_KEYS = ("keys", "rngs", "rng_keys")
_MOMENTS = frozenset(("m", "v", "mu", "nu", "exp_avg"))
# layers.py's word for a size of one of the module's own parameters.
_PARAMETER = "a parameter"


def tensors(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """The possible tensors for a parameter: by the code, then by layers and names; those with the
    rank that the code implies come first."""
    if context.kind(name) == "attention" and usage.letters is None:
        usage = replace(usage, letters=_of_others(context))
    if context.inside and is_hyperparameter(name) and context.framework == "jax":
        yield from _of_kind("scalar", context, "name")
    if usage.keys:
        for known in batches(usage.keys):
            yield Option(_reached(usage.keys, context.within(name), known), "the code")
    by_name = context.framework == "jax" and is_place(name) and context.kind(name) != "points"
    if usage.spread and (letters := _of_others(context)):
        yield Option(InputSpec("f32", sizes_of(letters[:-1])), "the code")
    if context.framework == "jax" and name in _KEYS and context.kind(name) != "attention":
        yield Option(InputSpec("u32", (SIZES["B"], 2)), "name")
    if "place" in usage.kinds or by_name:
        yield from _of_kind("place", context, "the code" if usage.kinds else "name")
    if (*context.inside, name) in context.einsums and not usage.said:
        yield Option(InputSpec("f32", context.einsums[*context.inside, name]), "the code")
    shape = context.products.shape((*context.inside, name))
    if usage.letters is None and shape is not None and context.kind(name) not in _OF_ONE_EACH:
        yield Option(InputSpec("f32", shape), "its products")
    if usage.letters is None and usage.columns is not None and context.kind(name) not in _OTHERWISE:
        yield from _by_columns(usage.columns)
    if usage.letters is None and context.kind(name) not in _OTHERWISE:
        yield from _by_constructor(name, context)
    likely = list(_by_letters(name, usage, context))
    named = list(_by_name(name, usage, context))
    rank = len(usage.letters) if usage.letters is not None else None
    if rank is not None:
        named.sort(key=lambda option: _rank(option) != rank)
    elif usage.rank is not None:
        named.sort(key=lambda option: _rank(option) < (usage.rank or 0))
    yield from likely
    if usage.parts and not usage.kinds:
        within = replace(context.within(name), siblings=usage.parts)
        packed = Listed(tuple(first_of(p, within, usage.inside.get(p)) for p in usage.parts), "(")
        ids = (o for o in named if isinstance(o.value, InputSpec) and o.value.dtype == "i64")
        first = [*ids] if context.kind(name) in ("edges", "ids") else []
        yield from (*first, Option(packed, "the code"))
    yield from named


def _by_constructor(name: str, context: Context) -> Iterator[Option]:
    """Of the size that the class was given for it, where no layer alone has it."""
    parameter = sized(name, context.given)
    if parameter is not None:
        sizes = SIZES | {"D": context.given[parameter]}
        for spec in _sized(("f32[N,D]", "f32[B,T,D]"), sizes):
            yield Option(spec, f"the constructor's {parameter}")


def _by_columns(columns: Columns) -> Iterator[Option]:
    """Rows of so many, of the rank that the code says or of the usual ones."""
    ranked = sorted(_ROWS, key=lambda rows: columns.rank not in (None, len(rows) + 1))
    for rows in ranked:
        sizes = tuple(SIZES[letter] for letter in rows)
        yield Option(InputSpec("f32", (*sizes, columns.count)), "the code")


def _of_others(context: Context) -> tuple[str, ...] | None:
    """The dimensions of queries, keys and values that the code names for any of them."""
    named = (u.letters for n, u in context.usages.items() if context.kind(n) == "attention")
    return next(filter(None, named), None)


def _reached(
    keys: Keys, context: Context, known: Mapping[str, InputSpec] | None = None
) -> Mapped | Listed:
    """A dict with what is read of it; equal ones in a list, where the code goes over them. Of some
    it is `known` what they are."""
    if keys.get(EACH) or keys.get(LAST):
        several = [at for at in (EACH, LAST) if keys.get(at)]
        each = [_reached(keys[at], context.within(at)) for at in several]
        return Listed(tuple(each * (_EQUAL // len(each))))
    if PARTS in keys:
        own = [key for key in keys if key != PARTS]
        inner = replace(context, siblings=tuple(own))
        return Listed(tuple(first_of(key, inner) for key in own), "(")
    context = replace(context, siblings=tuple(keys))
    beside = replace(context, inside=())

    def value(key: str) -> Value:
        call = next(maker_calls(key, beside), None)
        if call is not None or keys[key]:
            return call or _reached(keys[key], context.within(key))
        spec = InputSpec("i64", ()) if is_count(key, keys) else (known or {}).get(key)
        return first_of(key, context) if spec is None else typed(context, spec)

    return Mapped(tuple((Literal(key), value(key)) for key in keys))


def is_count(key: str, beside: Iterable[str]) -> bool:
    """Whether a value in a state counts steps; `t` does beside Adam's moments."""
    return _COUNT.fullmatch(key) is not None or (key == "t" and bool(_MOMENTS & {*beside}))


def first_of(name: str, context: Context, usage: Usage | None = None) -> Value:
    """The likeliest tensor for a name, for a value inside of others."""
    return next(tensors(name, usage or Usage(), context.bare())).value


def _rank(option: Option) -> int:
    return len(option.value.shape) if isinstance(option.value, InputSpec) else 0


def _by_letters(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    if usage.letters is None:
        return
    shape = sizes_of(usage.letters)
    last = context.products.last.get((*context.inside, name))
    if last is not None and shape and not usage.said:
        shape = (*shape[:-1], last)
    dtype = (
        "i64" if "ids" in usage.kinds or any(x.kind == "ids" for x in context.layers[:1]) else "f32"
    )
    kind = context.kind(name)
    if usage.said and kind in _OF_OTHER_TYPES and (kind != "labels" or len(shape) == 1):
        dtype = KINDS[kind][0].partition("[")[0]
    for layer in context.layers:
        if layer.kind not in ("image", "signal", "volume", "ids"):
            sized = (*shape[:-1], layer.size)
            yield Option(typed(context, InputSpec(dtype, sized)), f"the code and {_source(layer)}")
        elif layer.kind != "ids" and len(shape) > 1:
            sized = (shape[0], layer.size, *shape[2:])
            yield Option(typed(context, InputSpec(dtype, sized)), f"the code and {_source(layer)}")
    why = "what is written of its shape" if usage.said else "the code"
    yield Option(typed(context, InputSpec(dtype, shape)), why)


def _by_name(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    kind = context.kind(name)
    for used in usage.kinds:
        for layer in context.layers if used == "channels_last" else ():
            if layer.kind == used:  # parameters that are made know better
                yield from _of_layer(layer, context)
        if used == "moved":
            yield from _with_channels_moved(context)
        elif used == "ids" and kind in ("time", "ends"):  # one for each, before any other
            each = [spec for spec in specs_of(kind, SIZES) if spec.dtype == "i64"]
            yield from (Option(typed(context, s), "name") for s in (*each, *specs_of(used, SIZES)))
        else:
            yield from _of_kind(used, context, "the code")
    if kind == "image":
        for layer in [each for each in context.layers if each.kind == "channels_last"]:
            yield from _of_layer(layer, context)
    if kind in _OF_LAYERS and not any(layer.kind in _OF_LAYERS for layer in context.layers):
        for layer in context.layers:  # a module of the snippet's knows better
            yield from _of_layer(layer, context)
    if kind is not None and kind not in ("attention", "bias", "table", "weight"):
        if kind in ("sequence", "state"):
            yield from _of_kind_by_layers(kind, context)
        yield from _of_kind(kind, context, "name")
    for layer in context.layers:
        yield from _of_layer(layer, context)
    for layer in [each for each in context.layers if each.kind == "features"]:
        yield Option(InputSpec("f32", (layer.size,)), _source(layer))
    if kind is not None:
        yield from _of_kind(kind, context, "name")
    yield from _of_kind("features", context, "trial")


def _of_kind(kind: str, context: Context, why: str) -> Iterator[Option]:
    drawn = Drawn("uniform", _POSITIVE) if kind in _OF_POSITIVE else None
    specs = (typed(context, spec) for spec in specs_of(kind, SIZES))
    yield from (Option(replace(spec, drawn=drawn), why) for spec in specs)


def _of_kind_by_layers(kind: str, context: Context) -> Iterator[Option]:
    """With the sizes of the layers' features."""
    for layer in [each for each in context.layers if each.letter == "D"][:2]:
        for spec in specs_of(kind, SIZES | {"D": layer.size}):
            yield Option(typed(context, spec), f"name and {_source(layer)}")


def _with_channels_moved(context: Context) -> Iterator[Option]:
    """Images whose channels, last by then, are the features of a layer or of a parameter."""
    for layer in context.layers:
        if layer.kind in ("image", "features"):
            image = next(_layer_specs(replace(layer, kind="image"), SIZES))
            yield Option(typed(context, image), f"the code and {_source(layer)}")
    yield from _of_kind("image", context, "the code")


def _of_layer(layer: Layer, context: Context) -> Iterator[Option]:
    sizes = dict(SIZES)
    if layer.kind != "ids":
        sizes[layer.letter] = layer.size
    for spec in _layer_specs(layer, sizes):
        yield Option(typed(context, spec), _source(layer))
    for length in _lengths(context.given) if layer.kind == "signal" else ():
        spec = InputSpec("f32", (SIZES["B"], layer.size, length))
        yield Option(spec, f"{_source(layer)} and a length of the constructor's")


def _lengths(given: Mapping[str, int]) -> Iterator[int]:
    """Those that a class is constructed with, and twice as much, which a stride of 2 halves."""
    for length in (n for name, n in given.items() if _LENGTH.search(name)):
        yield from (length, 2 * length)


def _layer_specs(layer: Layer, sizes: Mapping[str, int]) -> Iterator[InputSpec]:
    if layer.kind == "image":
        for side in _IMAGES:
            yield InputSpec("f32", (sizes["B"], layer.size, side, side))
    elif layer.kind == "channels_last":
        yield from (InputSpec("f32", (sizes["B"], s, s, layer.size)) for s in _IMAGES)
    elif layer.kind == "features":
        yield from _sized(("f32[N,D]", "f32[B,T,D]"), sizes)
        if layer.name == _PARAMETER:  # it may be one for each channel, before the sequence
            yield from _sized(("f32[B,D,T]",), sizes)
        side = math.isqrt(layer.size)
        if side * side == layer.size and layer.size > 64:  # an image that is flattened
            yield InputSpec("f32", (sizes["B"], 1, side, side))
    elif layer.kind == "sequence":
        yield from _sized(("f32[T,B,D]", "f32[B,T,D]", "f32[T,D]"), sizes)
    elif layer.kind == "ids":
        yield from _sized(("i64[B,T]", "i64[T]", "i64[N]"), sizes)
    else:
        yield from _sized(KINDS[layer.kind][:1], sizes)


def _source(layer: Layer) -> str:
    return layer.name if layer.name.startswith("a ") else f"the layer {layer.name}"


def specs_of(kind: str, sizes: Mapping[str, int]) -> list[InputSpec]:
    """The specs of a kind, with `sizes` for its letters."""
    return list(_sized(KINDS[kind], sizes))


def _sized(texts: Iterable[str], sizes: Mapping[str, int]) -> Iterator[InputSpec]:
    for text in texts:
        dtype, _, dims = text.rstrip("]").partition("[")
        shape = tuple(sizes.get(d) or int(d) for d in dims.split(",") if d)
        yield InputSpec(dtype, shape)


def typed(context: Context, spec: InputSpec) -> InputSpec:
    """The spec with a dtype that the framework has: JAX has no 64-bit integers unless told to."""
    if context.framework == "jax" and spec.dtype == "i64":
        return replace(spec, dtype="i32")
    return spec
