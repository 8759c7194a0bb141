"""A program with symbolic sizes: compiled once, specialised to the sizes of its calls."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from compiler_core.plan.binding import Binding, bind, plan_at
from compiler_core.plan.plan import Plan

# The most executables that are kept; a GPU's holds memory.
_KEPT = 64

Run = Callable[[Sequence[Any]], list[torch.Tensor]]


class Sized:
    """Call it with the plan's inputs in order; it returns the plan's outputs in order. `bound`
    creates the executable for the plan of one call, which is kept for further calls with the same
    shapes.

    Raises MeasureError for shapes that the plan does not support.
    """

    def __init__(self, plan: Plan, bound: Callable[[Plan, Binding], Run], note: str = "") -> None:
        self.plan, self._make, self.note = plan, bound, note
        self._known: dict[tuple[tuple[int, ...], ...], Run] = {}

    def __call__(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        shapes = tuple(tuple(x.shape) for x in arguments)
        if shapes not in self._known:
            if len(self._known) == _KEPT:
                del self._known[next(iter(self._known))]
            values = bind(self.plan, shapes)
            self._known[shapes] = self._make(plan_at(self.plan, values), values)
        return self._known[shapes](arguments)
