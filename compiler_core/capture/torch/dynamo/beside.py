"""What a call changes beside the values of tensors: what optimizers begin to keep, which a graph
can make, and what no graph has."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from compiler_core.capture.torch.dynamo.state import bindings, generators, optimizers
from compiler_core.capture.torch.leaving import LeavesGraph


class Slot(NamedTuple):
    """Where an optimizer keeps a tensor."""

    optimizer: torch.optim.Optimizer
    parameter: Any
    name: str

    def get(self) -> Any:
        """The tensor that it keeps there."""
        return self.optimizer.state[self.parameter][self.name]

    def put(self, tensor: torch.Tensor) -> None:
        """It keeps this one there."""
        self.optimizer.state[self.parameter][self.name] = tensor


class Kept:
    """What optimizers keep of their parameters, as it is at construction."""

    def __init__(self, of: Sequence[torch.optim.Optimizer]) -> None:
        self._before = [(o, {p: dict(kept) for p, kept in o.state.items()}) for o in of]

    def new_slots(self) -> list[Slot]:
        """Where there are tensors that were not there before. Raises LeavesGraph where there is
        anything else that was not."""
        slots = list(self._others())
        if not all(isinstance(slot.get(), torch.Tensor) for slot in slots):
            raise LeavesGraph
        return slots

    def _others(self) -> Iterator[Slot]:
        for optimizer, before in self._before:
            for parameter, kept in optimizer.state.items():
                known = before.get(parameter, {})
                for name, value in kept.items():
                    old = known.get(name)
                    if value is not old and (isinstance(value, torch.Tensor) or value != old):
                        yield Slot(optimizer, parameter, name)

    def restore(self) -> None:
        """They keep that again."""
        for optimizer, before in self._before:
            optimizer.state.clear()
            optimizer.state.update((p, dict(kept)) for p, kept in before.items())


@contextlib.contextmanager
def nothing_else_changes(fn: Callable[..., Any], leaves: Any) -> Iterator[Kept]:
    """Context for one call of `fn`, which gives what its optimizers kept before and has them keep
    that again. Raises LeavesGraph where the call has given a module another tensor, or has drawn
    from a random generator that is not torch's: both are put back."""
    kept = Kept(optimizers(fn, leaves))
    names, drawn_from = bindings(fn, leaves), generators(fn, leaves)
    try:
        with names:
            yield kept
    finally:
        kept.restore()
        drawn = drawn_from.drawn()
        if drawn:
            drawn_from.restore()
    if drawn or names.restored:
        raise LeavesGraph
