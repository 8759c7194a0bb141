"""JAX's one convolution, which is StableHLO's with other names."""

from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value


def _convolution(ctx: LoweringContext, p: Params, x: Value, y: Value) -> Value:
    """In the type that is preferred, where the operands are narrower."""
    lhs, rhs = ctx.cast(x, ctx.out.dtype), ctx.cast(y, ctx.out.dtype)
    lhs_dims, rhs_dims, out_dims = map(tuple, p["dimension_numbers"])
    groups = p["feature_group_count"]
    if p["batch_group_count"] > 1:
        groups = p["batch_group_count"]
        lhs = _batch_as_features(ctx, lhs, groups, *lhs_dims[:2])
    low, high = zip(*p["padding"], strict=True) if p["padding"] else ((), ())
    return ctx.b.convolution(
        lhs, rhs, groups=groups, strides=p["window_strides"], low=low, high=high,
        lhs_dilation=p["lhs_dilation"], rhs_dilation=p["rhs_dilation"],
        lhs_dims=lhs_dims, rhs_dims=rhs_dims, out_dims=out_dims,
    )  # fmt: skip


def _batch_as_features(
    ctx: LoweringContext, x: Value, groups: int, batch: int, feature: int
) -> Value:
    """Groups of the batch, each for features of its own, as groups of the features."""
    sizes = list(x.type.shape)
    apart = ctx.b.reshape(x, [*sizes[:batch], groups, sizes[batch] // groups, *sizes[batch + 1 :]])
    order = [d + (d >= batch) for d in range(len(sizes))]
    order.insert(feature, batch)
    sizes[batch] //= groups
    sizes[feature] *= groups
    return ctx.b.reshape(ctx.b.transpose(apart, order), sizes)


TABLE: dict[str, JaxRule] = {"conv_general_dilated": _convolution}
