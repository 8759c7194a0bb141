"""Rules of operations on complex values, and the form in which a front end's table has them: as
rules of packed values."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from compiler_core.capture.complex_numbers.packing import packed, unpacked
from compiler_core.capture.complex_numbers.value import Complex, ComplexContext, parts_of
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value
from compiler_core.ir.types import TensorType

# A function of a ComplexContext and operands, complex ones as Complex; it returns the results, or
# None if it does not support this form.
ComplexRule = Callable[..., Any]


def parts_context(ctx: LoweringContext, is_complex: Sequence[bool]) -> ComplexContext:
    """`ctx` with the types of the parts in place of the packed ones."""
    pairs = zip(ctx.types, is_complex, strict=True)
    types = tuple(TensorType(t.dtype, t.shape[:-1]) if c else t for t, c in pairs)
    return ComplexContext(ctx.b, types, ctx.raw, tuple(is_complex))


def in_parts(ctx: LoweringContext, value: Any, is_complex: bool) -> Any:
    """A packed operand in the form that a rule takes: its parts if it is complex."""
    return unpacked(ctx.b, value) if is_complex and isinstance(value, Value) else value


def packed_results(ctx: LoweringContext, results: Any) -> list[Value] | None:
    """The results of a rule, complex ones packed."""
    if results is None:
        return None
    listed = results if isinstance(results, tuple | list) else (results,)
    return [packed(ctx.b, x) if isinstance(x, Complex) else x for x in listed]


def formula(function: Callable[..., Any]) -> ComplexRule:
    """The rule of a formula whose operands all have the result's type."""
    return lambda ctx, *xs: function(ctx, *ctx.complex_operands(*xs))


def by_parts(rule: Callable[..., Any], places: Iterable[int] = (0,)) -> ComplexRule:
    """The rule of an operation that applies `rule` to each part. `places` are the positions of the
    operands that are values; the other arguments are the same for both parts."""
    values = frozenset(places)

    def run(ctx: ComplexContext, *args: Any) -> Any:
        if not all(ctx.is_complex):
            return None
        re, im = (
            rule(ctx, *(_part(ctx, x, half) if i in values else x for i, x in enumerate(args)))
            for half in (0, 1)
        )
        if re is None or im is None:
            return None
        if isinstance(re, Value):
            return Complex(re, im)
        return [Complex(*both) for both in zip(re, im, strict=True)]

    return run


def _part(ctx: ComplexContext, x: Any, half: int) -> Any:
    if isinstance(x, list | tuple):
        return [_part(ctx, each, half) for each in x]
    if isinstance(x, Value):
        return ctx.like(0, x) if half else x
    return parts_of(x)[half]
