"""Weights that are computed from others."""

from torch import Tensor


def _weight_norm_backward(
    grad: Tensor, v: Tensor, g: Tensor, norms: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """Of g * v / |v|, with a norm for each element along `dim`: with respect to v and to g."""
    kind, others = norms.dtype, [i for i in range(v.dim()) if i != dim % v.dim()]
    grad, direction = grad.to(kind), v.to(kind) / norms
    along = (direction * grad).sum(others, keepdim=True)
    of_v = g.to(kind) / norms * (grad - direction * along)
    return of_v.to(v.dtype), along.to(g.dtype)


TABLE = {"_weight_norm_interface_backward": _weight_norm_backward}
