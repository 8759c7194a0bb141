"""Iterations of which elements need different numbers."""

from collections.abc import Callable, Sequence

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value
from compiler_core.ir.types import I32


def repeated(
    ctx: LoweringContext,
    state: Sequence[Value],
    constants: Sequence[Value],
    left: Callable[..., Value],
    step: Callable[..., Sequence[Value]],
    rounds: int,
) -> tuple[Value, ...]:
    """The state after `step` has been applied to each element while `left` holds there, at most
    `rounds` times. Both functions are given the state and the constants, of one shape."""
    b, count = ctx.b, len(state)
    operands = [b.scalar(0, I32), *state, *constants]
    types = [v.type for v in operands]

    def proceed(number: Value, *values: Value) -> list[Value]:
        going = left(*values)
        some = b.reduce(going, "or", range(going.type.rank))
        return [b.node("and", some, ctx.compare(number, rounds, "LT"))]

    def body(number: Value, *values: Value) -> list[Value]:
        going = left(*values)
        after = zip(step(*values), values[:count], strict=True)
        return [ctx.add(number, 1), *(ctx.select(going, new, old) for new, old in after)]

    regions = [b.region("cond", types, proceed), b.region("body", types, body)]
    return b.operation("while", operands, regions, carried=1 + count)[1:]
