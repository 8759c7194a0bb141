"""The arguments and the result of a torch program, as flat lists of tensors and as the program's
nested structures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from compiler_core.capture.fresh import Draw
from compiler_core.capture.no_result import no_result
from compiler_core.interop import structures
from compiler_core.interop.complex_pairs import unpack
from compiler_core.interop.private import pytree


class Arguments:
    """The leaves of one call's (args, kwargs): which of them are tensors, and how to rebuild the
    call."""

    def __init__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.leaves, self.spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
        self.places = [i for i, x in enumerate(self.leaves) if isinstance(x, torch.Tensor)]

    @property
    def tensors(self) -> list[torch.Tensor]:
        return [self.leaves[i] for i in self.places]

    def call(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) with `tensors` in place of the call's own, in order; surplus ones are
        ignored."""
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors, strict=False):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return tuple(args), dict(kwargs)


class Result:
    """A program's result: its tensors, and how to replace them. Raises CaptureError for a result
    without tensors, unless `or_nothing` allows it, as for a program that only writes."""

    def __init__(self, value: Any, line: int | None, *, or_nothing: bool = False) -> None:
        leaves, self._rebuild = structures.flatten(value)
        self._places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]
        self.tensors = [leaves[i] for i in self._places]
        self._dtypes = [x.dtype for x in self.tensors]
        # The fake tensors themselves are not for keeping.
        self._constants = [None if isinstance(x, torch.Tensor) else x for x in leaves]
        if not self._places and not or_nothing:
            raise no_result(value, "tensor", line)

    def rebuild(self, outputs: Sequence[Any]) -> Any:
        """The result's structure with `outputs`, a graph's, in place of its tensors, in order."""
        leaves = list(self._constants)
        for place, output, dtype in zip(self._places, outputs, self._dtypes, strict=False):
            leaves[place] = unpack(output, dtype)
        return self._rebuild(leaves)


def redrawn_one(tensor: torch.Tensor, generator: np.random.Generator, draw: Draw) -> torch.Tensor:
    """A floating-point tensor with other values, by `draw` (capture/fresh.py); a tensor of another
    dtype unchanged."""
    if not tensor.is_floating_point():
        return tensor
    # numpy has no bfloat16: such values pass through float32 without loss.
    values = tensor.detach().cpu().resolve_neg()
    upcast = values if values.dtype in (torch.float32, torch.float64) else values.float()
    # numpy makes a vector of what has no dimensions.
    drawn = torch.from_numpy(np.ascontiguousarray(draw(upcast.numpy(), generator)))
    return drawn.reshape(tensor.shape).to(device=tensor.device, dtype=tensor.dtype)
