"""JAX's primitives on arrays of 8-bit floats, which are their bytes in a graph. What moves elements
moves bytes; conversions, comparisons and products compute in f32, which has all of the numbers.
What rounds to 8 bits after each step stays JAX's own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from compiler_core.capture.float8 import E4M3FN, E5M2, Format, decoded, encoded
from compiler_core.capture.jax import table, views
from compiler_core.capture.jax.identities import IDENTITIES
from compiler_core.capture.jax.types import type_of
from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.interop.packed import is_float8
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F32, F64, U8

# XLA has NaN where torch stops at the largest number, and at half a unit beyond that still the
# number: of two that are equally near it takes the even one.
_FORMATS: dict[str, Format] = {
    "float8_e4m3fn": replace(E4M3FN, limit=float(np.nextafter(np.float32(464), np.inf)), over=0x7F),
    "float8_e5m2": E5M2,
}
_MOVES = frozenset((
    *views.MOVES, *views.JOINS, "dynamic_slice", "dynamic_update_slice", "pad", "select_n",
    *IDENTITIES,
))  # fmt: skip
_OF_NUMBERS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "is_finite", "dot_general"))


def byte_of(number: float, aval: Any) -> int:
    """The byte of a number that is rounded to the type of `aval`."""
    return int(np.asarray(number, aval.dtype).view(np.uint8))


def rule_of(eqn: Any) -> JaxRule | None:
    """The rule of an equation with operands or results of 8-bit floats; None without one."""
    name, given = eqn.primitive.name, [v.aval for v in eqn.invars]
    results = [v.aval for v in eqn.outvars]
    if name in _MOVES:
        return _moved(table.TABLE[name], given)
    if not {str(a.dtype) for a in (*given, *results) if is_float8(a)} <= _FORMATS.keys():
        return None
    if name == "bitcast_convert_type":
        return _as_it_is if {type_of(a).dtype for a in (*given, *results)} == {U8} else None
    if name == "convert_element_type":
        return _converted(given[0], results[0])
    if name in _OF_NUMBERS and not any(map(is_float8, results)):
        return _computed(table.TABLE[name], given)
    return None


def _moved(rule: JaxRule, given: Sequence[Any]) -> JaxRule:
    """Of the bytes."""

    def run(ctx: LoweringContext, p: Params, *operands: Operand) -> Any:
        pairs = zip(operands, given, strict=True)
        return rule(ctx, p, *(_byte(x, aval) for x, aval in pairs))

    return run


def _byte(x: Operand, aval: Any) -> Operand:
    return byte_of(x, aval) if is_float8(aval) and isinstance(x, int | float) else x


def _as_it_is(ctx: LoweringContext, p: Params, x: Operand) -> Value:
    """Between such floats and bytes."""
    return ctx.fit(x, U8, ctx.out.shape)


def _computed(rule: JaxRule, given: Sequence[Any]) -> JaxRule:
    """Of the numbers."""

    def run(ctx: LoweringContext, p: Params, *operands: Operand) -> Any:
        pairs = zip(operands, given, strict=True)
        return rule(ctx, p, *(_number(ctx, x, aval) for x, aval in pairs))

    return run


def _converted(given: Any, result: Any) -> JaxRule:
    def run(ctx: LoweringContext, p: Params, x: Operand) -> Any:
        number = _number(ctx, x, given)
        if not is_float8(result):
            return table.TABLE["convert_element_type"](ctx, p, number)
        if isinstance(number, Value) and number.type.dtype is F64:
            return None  # by way of f32 it would be rounded twice
        return encoded(ctx, ctx.fit(number, F32, ctx.out.shape), _FORMATS[str(result.dtype)])

    return run


def _number(ctx: LoweringContext, x: Operand, aval: Any) -> Operand:
    if is_float8(aval) and isinstance(x, Value):
        return decoded(ctx, x, _FORMATS[str(aval.dtype)])
    return x
