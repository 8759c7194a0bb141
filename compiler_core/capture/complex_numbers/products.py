"""Products of complex matrices, and complex convolutions, as one real product each.

The left operand stays packed: its parts are a further dimension that is summed over. The right one
is expanded to [[re, im], [-im, re]]: its rows match those parts, and its columns are the parts of
the result.
"""

from collections.abc import Sequence

from compiler_core.capture.complex_numbers.packing import packed, unpacked
from compiler_core.capture.complex_numbers.value import Complex, ComplexContext
from compiler_core.ir.graph import Value

Dims = tuple[Sequence[int], Sequence[int]]


def dot_general(
    ctx: ComplexContext, x: Complex, y: Complex, *, contract: Dims, batch: Dims = ((), ())
) -> Complex:
    """StableHLO's dot_general of complex values."""
    left, right = packed(ctx.b, x), _spread(ctx, y)
    rows = (*contract[0], x.type.rank), (*contract[1], y.type.rank)
    return unpacked(ctx.b, ctx.b.dot_general(left, right, batch=batch, contract=rows))


def _spread(ctx: ComplexContext, y: Complex) -> Value:
    """[[re, im], [-im, re]] in two further, last dimensions."""
    shape = y.type.shape
    turned = Complex(ctx.neg(y.im), y.re)
    rows = [ctx.b.reshape(packed(ctx.b, row), (*shape, 1, 2)) for row in (y, turned)]
    return ctx.b.node("concatenate", *rows, dimension=len(shape))
