"""Loops of a graph that is computed in float64: the first steps one operation after the other, as
all else; one of many steps is compiled by XLA instead, which knows nothing of our printers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from compiler_core.errors import sentence_of
from compiler_core.interop import arrays
from compiler_core.ir.graph import Operation

# Operations, those of all its steps together, that take as long as compiling a loop does.
MANY = 3000


class _Long(BaseException):
    """A loop has done many steps. Not an Exception, so that nothing that catches a program's errors
    catches it."""


@dataclass
class Loops:
    """How eval_torch runs loops, and what it tells of each operation; `each` is told, too. Those
    that were long stay compiled. `refused` has those that XLA does not run, with its reason: they
    are computed by their operations, which is right and takes long."""

    each: Callable[[Operation], None]
    refused: dict[Operation, str] = field(default_factory=dict)
    _compiled: dict[Operation, Callable[..., list[Any]]] = field(default_factory=dict)
    _steps: int = 0
    _most: int | None = None

    def step(self, operation: Operation) -> None:
        """An operation is about to be computed."""
        self.each(operation)
        self._steps += 1
        if self._most is not None and self._steps > self._most:
            raise _Long

    def run(
        self,
        operation: Operation,
        operands: Sequence[torch.Tensor],
        interpret: Callable[[], Sequence[torch.Tensor]],
    ) -> Sequence[torch.Tensor]:
        """The results of a loop or branch; `interpret` computes them by its operations."""
        is_elsewhere = any(x.device.type != "cpu" for x in operands)
        if self._most is not None or is_elsewhere or operation in self.refused:
            return interpret()
        if operation not in self._compiled:
            self._most = self._steps + MANY
            try:
                return interpret()
            except _Long:
                self._compiled[operation] = _by_xla(operation)
            finally:
                self._most = None
        try:
            found = self._compiled[operation](*map(arrays.to_jax, operands))
        except Exception as error:  # XLA's own, of any kind
            self.refused[operation] = sentence_of(error)
            return interpret()
        return [x.clone() for x in arrays.to_torch_all(found)]


def _by_xla(operation: Operation) -> Callable[..., list[Any]]:
    from compiler_core.ir.eval_jax.upcast import compiled

    return compiled(operation)
