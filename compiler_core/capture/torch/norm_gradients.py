"""The gradient of a batch normalisation, by the formulas of Ioffe and Szegedy, "Batch
Normalization" (2015), section 3."""

from collections.abc import Callable, Sequence

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.reductions import mean_of, sum_of
from compiler_core.ir.graph import Value


def _batch_norm_backward(  # noqa: PLR0913, PLR0917  # the operation's own arguments
    ctx: LoweringContext,
    grad: Value,
    x: Value,
    weight: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    mean: Value | None,
    rstd: Value | None,
    training: bool,
    eps: float,
    wanted: Sequence[bool],
) -> list[Value] | None:
    """Of the input, the weight and the bias, those that torch gives."""
    if not training and running_mean is not None and running_var is not None:
        mean = running_mean
        var = ctx.cast(running_var, upcast_dtype(running_var.type.dtype))
        rstd = ctx.b.node("rsqrt", ctx.add(var, eps))
    if mean is None or rstd is None:
        return None
    dtype, axes = upcast_dtype(x.type.dtype), tuple(d for d in range(x.type.rank) if d != 1)

    def spread(statistic: Value) -> Value:
        """A value a channel, for each element."""
        return ctx.b.broadcast_in_dim(ctx.cast(statistic, dtype), x.type.shape, (1,))

    upcast = ctx.cast(grad, dtype)
    normal = ctx.mul(ctx.sub(ctx.cast(x, dtype), spread(mean)), spread(rstd))
    product = ctx.mul(upcast, normal)
    own = upcast
    if training:
        common = mean_of(ctx, upcast, axes, keepdims=True)
        along = ctx.mul(
            normal, ctx.b.broadcast(mean_of(ctx, product, axes, keepdims=True), normal.type.shape)
        )
        own = ctx.sub(ctx.sub(upcast, common), along)
    scale = rstd if weight is None else ctx.mul(ctx.cast(rstd, dtype), ctx.cast(weight, dtype))
    found: tuple[Callable[[], Value], ...] = (
        lambda: ctx.mul(own, spread(scale)),
        lambda: sum_of(ctx, product, axes),
        lambda: sum_of(ctx, upcast, axes),
    )
    # Without values torch gives that of the input whether it is wanted or not.
    given = (len(ctx.types) > sum(wanted[1:]), *wanted[1:])
    types = iter(ctx.types)
    return [
        ctx.cast(of(), next(types).dtype)
        for of, is_given in zip(found, given, strict=True)
        if is_given
    ]


TABLE: dict[str, TorchRule] = {"native_batch_norm_backward": _batch_norm_backward}
