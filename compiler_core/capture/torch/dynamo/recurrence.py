"""Whether Dynamo follows a program's recurrent layers into the graph; by default it leaves them to
Python."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


@dataclass
class Layers:
    """The recurrent layers that ran: `met` whether there were any, `packed` whether any had packed
    sequences, whose steps have batches of their own."""

    met: bool = False
    packed: bool = False

    @property
    def followed(self) -> bool:
        """Whether Dynamo should follow them."""
        return self.met and not self.packed

    def add(self, layer: nn.Module, given: tuple[Any, ...]) -> None:
        """Records a call of a layer."""
        if isinstance(layer, nn.RNNBase) and given:
            self.met = True
            self.packed |= not isinstance(given[0], torch.Tensor)


@contextmanager
def recurrent_layers() -> Iterator[Layers]:
    """Context in which calls of recurrent layers are recorded."""
    layers = Layers()
    handle = nn.modules.module.register_module_forward_pre_hook(layers.add)
    try:
        yield layers
    finally:
        handle.remove()
