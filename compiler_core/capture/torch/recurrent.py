"""torch's long short-term memory as a scan over time: what the inputs give to all gates is one
product before it, and each step has one of the state."""

from collections.abc import Sequence
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import slice_along
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import number

_LSTM = 2  # oneDNN's number of it


def _layer(ctx: LoweringContext, x: Value, *given: Any) -> list[Value] | None:
    """One direction of a layer over x: [time, batch, features], whatever the module's order is."""
    w_input, w_state, b_input, b_state, state, memory, reverse, batch_sizes, mode, *rest = given
    has_biases = rest[2]
    if mode != _LSTM or batch_sizes:
        return None
    gates = ctx.b.dot_general(x, w_input, contract=((2,), (1,)))
    if has_biases:
        gates = ctx.add(gates, ctx.b.broadcast(ctx.add(b_input, b_state), gates.type.shape))
    shape = (x.type.shape[1], w_state.type.shape[1])
    start = [ctx.b.reshape(v, shape) for v in (state, memory)]
    types = [
        start[0].type,
        start[1].type,
        gates.type.with_shape(gates.type.shape[1:]),
        w_state.type,
    ]

    def step(state: Value, memory: Value, gates: Value, weights: Value) -> Sequence[Value]:
        state, memory = _step(ctx, state, memory, gates, weights)
        return [state, memory, state]

    last, kept, states = ctx.b.operation(
        "scan", [*start, gates, w_state], [ctx.b.region("step", types, step)],
        length=number(x.type.shape[0]), reverse=bool(reverse), carried=2, scanned=1,
    )  # fmt: skip
    found = zip((states, last, kept), ctx.types, strict=False)
    results = [ctx.b.reshape(v, t.shape) for v, t in found]
    # oneDNN's workspace is for its own gradient.
    return [*results, *(ctx.b.scalar(0, t.dtype, t.shape) for t in ctx.types[3:])]


def _step(
    ctx: LoweringContext, state: Value, memory: Value, gates: Value, weights: Value
) -> tuple[Value, Value]:
    total = ctx.add(gates, ctx.b.dot_general(state, weights, contract=((1,), (1,))))
    size = state.type.shape[1]
    taken, kept, new, shown = (
        slice_along(ctx, total, 1, i * size, (i + 1) * size) for i in range(4)
    )
    taken, kept, shown = (ctx.b.node("logistic", v) for v in (taken, kept, shown))
    memory = ctx.add(ctx.mul(kept, memory), ctx.mul(taken, ctx.b.node("tanh", new)))
    return ctx.mul(shown, ctx.b.node("tanh", memory)), memory


TABLE: dict[str, TorchRule] = {"mkldnn_rnn_layer": _layer}
