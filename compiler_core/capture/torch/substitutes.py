"""Functions of torch that ask for a tensor's value only to check it, or to choose something that
the program could have said. A graph has no values, so on a trace they are replaced by programs that
do not ask. Where torch raises an error because of a tensor's values, the result is NaN."""

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from compiler_core.capture.torch import scalar_indices
from compiler_core.capture.torch.compositions import recurrence
from compiler_core.capture.torch.dynamo import private
from compiler_core.capture.torch.leaving import LeavesGraph


class Substituted(TorchFunctionMode):
    """Within the context, calls of such functions run their substitutes. Raises LeavesGraph for a
    function that was given to torch._dynamo.disallow_in_graph."""

    def __init__(self) -> None:
        super().__init__()
        self.places = scalar_indices.Places()
        self._disallowed = private.disallowed()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if id(func) in self._disallowed:
            raise LeavesGraph
        if func in _AT_PLACES and scalar_indices.has_scalars(args[1]):
            return _AT_PLACES[func](self.places, *args)
        if func in recurrence.FUNCTIONS and not kwargs:
            result = recurrence.FUNCTIONS[func](*args)
            if result is not NotImplemented:
                return result
        return SUBSTITUTES.get(func, func)(*args, **(kwargs or {}))


def _gaussian_nll_loss(input: Tensor, target: Tensor, var: Any, *rest: Any, **more: Any) -> Any:  # noqa: A002
    """torch's own, told that no variance is negative; NaN where one is."""
    with mock.patch.object(torch, "any", return_value=False):
        loss = functional.gaussian_nll_loss(input, target, var, *rest, **more)
    if not isinstance(var, Tensor):
        return loss
    return torch.where((var < 0).any(), math.nan, loss)


def _cov(
    x: Tensor, *, correction: int = 1, fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:  # fmt: skip
    rows = x.reshape(1, -1) if x.dim() < 2 else x
    weights = fweights
    if aweights is not None:
        weights = aweights if fweights is None else fweights * aweights
    total: Any = rows.shape[1] if weights is None else weights.sum()
    weighed = rows if weights is None else rows * weights
    centred = rows - (weighed.sum(1) / total).unsqueeze(1)
    if weights is not None and aweights is not None and correction:
        norm = total - correction * (weights * aweights).sum() / total
    else:
        norm = total - correction
    norm = max(0, norm) if weights is None else torch.clamp_min(norm, 0)
    other = centred if weights is None else centred * weights
    result: Tensor = (centred @ other.mT.conj()) / norm
    return result.squeeze()


def _corrcoef(x: Tensor) -> Tensor:
    covariance = _cov(x)
    if covariance.dim() == 0:
        return covariance / covariance
    deviation = covariance.diagonal().real.sqrt()
    result = covariance / deviation.unsqueeze(1) / deviation
    return result if result.is_complex() else result.clamp(-1, 1)


def _combinations(x: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = list(choose(range(x.shape[0]), r))
    if r == 0 or not places:
        return x.new_empty((0, r) if r else 0)
    return x[torch.tensor(places, device=x.device)]


_AT_PLACES: Mapping[Any, Callable[..., Any]] = {
    torch.Tensor.__getitem__: scalar_indices.Places.read,
    torch.Tensor.__setitem__: scalar_indices.Places.write,
}
SUBSTITUTES: Mapping[Any, Callable[..., Any]] = {
    functional.gaussian_nll_loss: _gaussian_nll_loss,
    torch.cov: _cov,
    torch.Tensor.cov: _cov,
    torch.corrcoef: _corrcoef,
    torch.Tensor.corrcoef: _corrcoef,
    torch.combinations: _combinations,
}
