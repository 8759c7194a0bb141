"""Whether a program's recurrent layers are followed: Dynamo leaves them to Python by default."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


@dataclass
class Layers:
    """Of all recurrent layers that ran, whether there is any, and any with packed sequences, whose
    steps have batches of their own."""

    met: bool = False
    packed: bool = False

    @property
    def followed(self) -> bool:
        return self.met and not self.packed

    def add(self, layer: nn.Module, given: tuple[Any, ...]) -> None:
        if isinstance(layer, nn.RNNBase) and given:
            self.met = True
            self.packed |= not isinstance(given[0], torch.Tensor)


@contextmanager
def recurrent_layers() -> Iterator[Layers]:
    """Context in which recurrent layers are noted."""
    layers = Layers()
    handle = nn.modules.module.register_module_forward_pre_hook(layers.add)
    try:
        yield layers
    finally:
        handle.remove()
