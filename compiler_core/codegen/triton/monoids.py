"""The monoids in Triton: identity, combination, reduction of a tile."""

from dataclasses import dataclass

from compiler_core.codegen.triton.ops import literal, register
from compiler_core.ir.monoids import MONOIDS, for_dtype
from compiler_core.ir.types import BOOL, I32, DType


@dataclass(frozen=True, slots=True)
class Monoid:
    """Texts: `pair` combines {a} and {b}; `tile` reduces {x}, with {options} for the axis and
    keep_dims; `scan` computes running values of {x}. For a tuple each placeholder stands for its
    components, separated by commas."""

    identities: tuple[str, ...]
    pair: str
    tile: str
    scan: str


def storage_dtype(dtype: DType) -> DType:
    """The type in which values of `dtype` are accumulated."""
    return I32 if dtype is BOOL else register(dtype)


def monoid(name: str, dtypes: tuple[DType, ...]) -> Monoid:
    """The monoid `name` for values of `dtypes`."""
    first = storage_dtype(dtypes[0]) if len(dtypes) > 1 else dtypes[0]
    identities = tuple(literal(value) for value in MONOIDS[name].identity(first))
    if len(dtypes) > 1:
        tile = f"tl.reduce(({{x}}), combine_fn={name}, {{options}})"
        scan = f"tl.associative_scan(({{x}}), combine_fn={name}, {{axis}})"
        return Monoid(identities, f"{name}({{a}}, {{b}})", tile, scan)
    if first is BOOL:
        short = "min" if for_dtype(name, first) == "and" else "max"
        return _integer_extremum(short, _as_integer(name, first))
    if name in ("maximum", "minimum"):
        return _extremum(name, identities, first)
    pair, tile, scan = _PLAIN[name]
    return Monoid(_as_integer(name, first), pair, tile, scan)


def _as_integer(name: str, dtype: DType) -> tuple[str]:
    """The identity of a single component as a whole number, also of bools and of floats."""
    (identity,) = MONOIDS[name].identity(dtype)
    return (str(int(identity)),)


def _extremum(name: str, identities: tuple[str, ...], dtype: DType) -> Monoid:
    short = name[:3]
    if dtype.is_float:
        return Monoid(
            identities,
            f"tl.{name}({{a}}, {{b}}, propagate_nan=tl.PropagateNan.ALL)",
            f"tl.reduce({{x}}, combine_fn=nan_{short}, {{options}})",
            f"tl.associative_scan({{x}}, combine_fn=nan_{short}, {{axis}})",
        )
    return _integer_extremum(short, identities)


def _integer_extremum(short: str, identities: tuple[str, ...]) -> Monoid:
    """Bools are combined as the integers 0 and 1."""
    return Monoid(
        identities,
        f"tl.{short}imum({{a}}, {{b}})",
        f"tl.{short}({{x}}, {{options}})",
        f"tl.associative_scan({{x}}, combine_fn=nan_{short}, {{axis}})",
    )


def _function(name: str) -> tuple[str, str]:
    return (
        f"tl.reduce({{x}}, combine_fn={name}, {{options}})",
        f"tl.associative_scan({{x}}, combine_fn={name}, {{axis}})",
    )


_PLAIN = {
    "add": ("{a} + {b}", "tl.sum({x}, {options})", "tl.cumsum({x}, {axis})"),
    "multiply": ("{a} * {b}", _function("product")[0], "tl.cumprod({x}, {axis})"),
    "and": ("{a} & {b}", *_function("bits_and")),
    "or": ("{a} | {b}", *_function("bits_or")),
}
