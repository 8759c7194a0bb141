"""How often a program's recurrent layers step: Dynamo makes a graph of every step, one after the
other."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

# Forward and backward pass of one step are about 50 operations, which take 50 ms to be captured
# and compiled: with more, a program's recurrent layers stay in Python.
MOST = 128


@dataclass
class Steps:
    """Of all recurrent layers that ran; `countable` if each had sequences of one length."""

    count: int = 0
    countable: bool = True

    @property
    def few(self) -> bool:
        """Whether there are any, and not too many to be followed."""
        return self.countable and 0 < self.count <= MOST

    def add(self, layer: nn.Module, given: tuple[Any, ...]) -> None:
        if not isinstance(layer, nn.RNNBase) or not given:
            return
        if not isinstance(given[0], torch.Tensor):  # packed sequences
            self.countable = False
            return
        batched = given[0].dim() == 3
        length = given[0].shape[1 if batched and layer.batch_first else 0]
        self.count += length * layer.num_layers * (1 + layer.bidirectional)


@contextmanager
def counted_steps() -> Iterator[Steps]:
    """Context in which the steps of recurrent layers are counted."""
    steps = Steps()
    handle = nn.modules.module.register_module_forward_pre_hook(steps.add)
    try:
        yield steps
    finally:
        handle.remove()
