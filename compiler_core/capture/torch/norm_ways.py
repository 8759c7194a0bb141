"""Other results that torch's batch, group and instance norms may give where a weight, a mean or a
bias is infinite or NaN.

The norms are (x - mean) * rstd * weight + bias. torch's GPU kernels compute batch norm so; its CPU
kernels compute x * scale + shift with scale = rstd * weight and shift = bias - mean * scale. For an
infinite weight the latter is inf - inf, a NaN, for every x with the mean's sign.

The mean that torch computes along with a variance is a running one: NaN from the element on that
follows an infinity. So it is infinite where the infinity comes last, which kernels for a GPU, that
go over elements in another order, do not see.
"""

from typing import Any

import torch

from compiler_core.capture.torch.mode import Args, Instead, Kwargs

_ATEN = torch.ops.aten


class Centred(Instead):
    """Within the context, the mean is subtracted before anything is multiplied, and one of an
    infinity is NaN; `called` says whether there was such a norm or mean."""

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        result = func(*args, **kwargs)
        if func in _MOMENTS:
            self.called = True
            return result[0], result[1].masked_fill(~result[1].isfinite(), torch.nan)
        way = _CENTRED.get(func)
        if way is None:
            return result
        self.called = True
        return (way(*args, **kwargs).to(result[0].dtype), *result[1:])


def _batch_norm(  # the operation's own arguments
    x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None,
    mean: torch.Tensor | None, var: torch.Tensor | None, training: bool, momentum: float,
    eps: float,
) -> torch.Tensor:  # fmt: skip
    x, shape = x.double(), (1, -1, *[1] * (x.dim() - 2))
    if training or mean is None or var is None:
        value = _centred(x, [d for d in range(x.dim()) if d != 1], eps)
    else:
        value = (x - mean.view(shape)) * (var.double() + eps).rsqrt().view(shape)
    return _scaled(value, weight, bias)


def _group_norm(
    x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None, n: int, channels: int,
    inner: int, groups: int, eps: float,
) -> torch.Tensor:  # fmt: skip
    grouped = x.double().reshape(n, groups, -1)
    return _scaled(_centred(grouped, [2], eps).reshape(x.shape), weight, bias)


def _centred(x: torch.Tensor, dims: list[int], eps: float) -> torch.Tensor:
    var, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
    return (x - mean) * (var + eps).rsqrt()


def _scaled(
    x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None
) -> torch.Tensor:
    shape = (1, -1, *[1] * (x.dim() - 2))
    x = x if weight is None else x * weight.view(shape)
    return x if bias is None else x + bias.view(shape)


_MOMENTS = (_ATEN.var_mean.correction, _ATEN.std_mean.correction)
_CENTRED = {
    _ATEN.native_batch_norm.default: _batch_norm,
    _ATEN.native_group_norm.default: _group_norm,
}
