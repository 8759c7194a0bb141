"""What each monoid of a reduction is in Triton: identity, combination, reduction of a tile."""

from dataclasses import dataclass

from compiler_core.codegen.triton.ops import literal, register
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.types import BOOL, I32, DType


@dataclass(frozen=True, slots=True)
class Monoid:
    """`pair` combines {a} and {b}; `tile` reduces {x}, with {options} the axis and keep_dims; of
    a tuple each stands for its components, between commas."""

    identities: tuple[str, ...]
    pair: str
    tile: str


def storage_dtype(dtype: DType) -> DType:
    """The type in which values of `dtype` are accumulated."""
    return I32 if dtype is BOOL else register(dtype)


def monoid(name: str, dtypes: tuple[DType, ...]) -> Monoid:
    """The monoid `name` over values of `dtypes`."""
    first = storage_dtype(dtypes[0]) if len(dtypes) > 1 else dtypes[0]
    identities = tuple(literal(value) for value in MONOIDS[name].identity(first))
    if len(dtypes) > 1:
        tile = f"tl.reduce(({{x}}), combine_fn={name}, {{options}})"
        return Monoid(identities, f"{name}({{a}}, {{b}})", tile)
    if first is BOOL:
        return _BOOL[name]
    if name in ("maximum", "minimum"):
        return _extremum(name, identities, first)
    pair, tile = _PLAIN[name]
    return Monoid((str(int(MONOIDS[name].identity(first)[0])),), pair, tile)


def _extremum(name: str, identities: tuple[str, ...], dtype: DType) -> Monoid:
    short = name[:3]
    if dtype.is_float:
        return Monoid(
            identities,
            f"tl.{name}({{a}}, {{b}}, propagate_nan=tl.PropagateNan.ALL)",
            f"tl.reduce({{x}}, combine_fn=nan_{short}, {{options}})",
        )
    return Monoid(identities, f"tl.{name}({{a}}, {{b}})", f"tl.{short}({{x}}, {{options}})")


_PLAIN = {
    "add": ("{a} + {b}", "tl.sum({x}, {options})"),
    "multiply": ("{a} * {b}", "tl.reduce({x}, combine_fn=product, {options})"),
    "and": ("{a} & {b}", "tl.reduce({x}, combine_fn=bits_and, {options})"),
    "or": ("{a} | {b}", "tl.reduce({x}, combine_fn=bits_or, {options})"),
}

# Truth values are combined as the integers 0 and 1.
_BOOL = {
    "and": Monoid(("1",), "tl.minimum({a}, {b})", "tl.min({x}, {options})"),
    "or": Monoid(("0",), "tl.maximum({a}, {b})", "tl.max({x}, {options})"),
    "multiply": Monoid(("1",), "tl.minimum({a}, {b})", "tl.min({x}, {options})"),
    "minimum": Monoid(("1",), "tl.minimum({a}, {b})", "tl.min({x}, {options})"),
    "maximum": Monoid(("0",), "tl.maximum({a}, {b})", "tl.max({x}, {options})"),
    "add": Monoid(("0",), "tl.maximum({a}, {b})", "tl.max({x}, {options})"),
}
