"""Arguments of a graph, as an executable takes them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from compiler_core.capture.torch.dynamo.outputs import is_tensor
from compiler_core.interop.alike import Alike
from compiler_core.interop.complex_pairs import all_in_memory, pack
from compiler_core.interop.float8 import FLOAT8


class Taken:
    """Converts a call's arguments, whose placeholders are `inputs`, to the tensors that an
    executable takes; `places` are their positions. What the placeholders say is decided once, and
    what depends on a call is checked for all tensors together, since a training step has a
    hundred."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.places = [i for i, node in enumerate(inputs) if is_tensor(node)]
        ways = enumerate(_way(inputs[i]) for i in self.places)
        self._ways = [(number, way) for number, way in ways if way]
        self._in_memory = Alike()

    def of(self, args: Sequence[Any]) -> list[torch.Tensor]:
        """The executable's arguments for a call with `args`."""
        # None is what torch gives for the empty tensor that calls are kept in order by.
        flat = [_NOTHING if (x := args[i]) is None else x for i in self.places]
        for number, way in self._ways:
            flat[number] = way(flat[number])
        if self._in_memory(flat):
            return flat
        found = all_in_memory(flat)
        if found is flat:
            self._in_memory.learn(flat)
        return found


_NOTHING = torch.empty(0)


def _way(placeholder: Any) -> Callable[[torch.Tensor], torch.Tensor] | None:
    """How an argument is taken; None: as it is."""
    traced = placeholder.meta["val"]
    if traced.dtype.is_complex or traced.dtype in FLOAT8:
        return pack
    if not traced.ndim and traced.dtype.is_floating_point:
        return partial(_number, dtype=traced.dtype)
    return None


def _number(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A number of Python's that Dynamo gives a graph, such as one that is drawn, was traced in
    torch's default type and comes in float64."""
    return x.to(dtype) if x.dtype is torch.float64 else x
