"""What each monoid of a reduction is in Triton: identity, two values folded, a tile folded."""

from dataclasses import dataclass

from compiler_core.codegen.triton.ops import literal, register
from compiler_core.ir.types import BOOL, I32, DType


@dataclass(frozen=True, slots=True)
class Monoid:
    """`pair` folds {a} and {b}; `tile` folds {x}, with {options} the axis and keep_dims."""

    identity: str
    pair: str
    tile: str


def storage_dtype(dtype: DType) -> DType:
    """The type in which a fold of `dtype` is accumulated."""
    return I32 if dtype is BOOL else register(dtype)


def monoid(name: str, dtype: DType) -> Monoid:
    if dtype is BOOL:
        return _BOOL[name]
    if name in ("maximum", "minimum"):
        return _extremum(name, dtype)
    return _PLAIN[name]


def _extremum(name: str, dtype: DType) -> Monoid:
    short, largest = name[:3], name == "maximum"
    if dtype.is_float:
        return Monoid(
            literal(-float("inf") if largest else float("inf")),
            f"tl.{name}({{a}}, {{b}}, propagate_nan=tl.PropagateNan.ALL)",
            f"tl.reduce({{x}}, combine_fn=nan_{short}, {{options}})",
        )
    low, high = _range(dtype)
    return Monoid(
        str(low if largest else high), f"tl.{name}({{a}}, {{b}})", f"tl.{short}({{x}}, {{options}})"
    )


def _range(dtype: DType) -> tuple[int, int]:
    if dtype.kind == "uint":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1


_PLAIN = {
    "add": Monoid("0", "{a} + {b}", "tl.sum({x}, {options})"),
    "multiply": Monoid("1", "{a} * {b}", "tl.reduce({x}, combine_fn=product, {options})"),
    "and": Monoid("-1", "{a} & {b}", "tl.reduce({x}, combine_fn=bits_and, {options})"),
    "or": Monoid("0", "{a} | {b}", "tl.reduce({x}, combine_fn=bits_or, {options})"),
}

# Truth values are folded as the integers 0 and 1.
_BOOL = {
    "and": Monoid("1", "tl.minimum({a}, {b})", "tl.min({x}, {options})"),
    "or": Monoid("0", "tl.maximum({a}, {b})", "tl.max({x}, {options})"),
    "multiply": Monoid("1", "tl.minimum({a}, {b})", "tl.min({x}, {options})"),
    "minimum": Monoid("1", "tl.minimum({a}, {b})", "tl.min({x}, {options})"),
    "maximum": Monoid("0", "tl.maximum({a}, {b})", "tl.max({x}, {options})"),
    "add": Monoid("0", "tl.maximum({a}, {b})", "tl.max({x}, {options})"),
}
