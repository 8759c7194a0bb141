"""State that a call changes besides the values of tensors: what optimizers add to their state,
which a graph can compute, and other changes, which no graph has."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from compiler_core.capture.torch.dynamo.state import bindings, generators, optimizers
from compiler_core.capture.torch.leaving import LeavesGraph


class Slot(NamedTuple):
    """The entry of an optimizer's state in which a tensor is kept: by parameter and name."""

    optimizer: torch.optim.Optimizer
    parameter: Any
    name: str

    def get(self) -> Any:
        """The tensor in this entry."""
        return self.optimizer.state[self.parameter][self.name]

    def put(self, tensor: torch.Tensor) -> None:
        """Sets the entry to `tensor`."""
        self.optimizer.state[self.parameter][self.name] = tensor


class Kept:
    """The state of optimizers at construction."""

    def __init__(self, of: Sequence[torch.optim.Optimizer]) -> None:
        self._before = [(o, {p: dict(kept) for p, kept in o.state.items()}) for o in of]

    def new_slots(self) -> list[Slot]:
        """The entries of the state that are new or hold another object since. Raises LeavesGraph if
        one of them is no tensor."""
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
        """Sets the optimizers' state to that at construction."""
        for optimizer, before in self._before:
            optimizer.state.clear()
            optimizer.state.update((p, dict(kept)) for p, kept in before.items())


@contextlib.contextmanager
def nothing_else_changes(fn: Callable[..., Any], leaves: Any) -> Iterator[Kept]:
    """Context for one call of `fn`, after which its optimizers' earlier state, which is yielded, is
    restored. Raises LeavesGraph if the call gave a module another tensor under a name, or drew from
    a random generator that is not torch's; both are undone."""
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
