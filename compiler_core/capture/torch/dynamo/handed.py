"""The bytes that graphs pass through memory, past the Python between them, to graphs that run
later."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import torch

from compiler_core.capture.torch.dynamo.pieces import Piece


@dataclass
class Handed:
    """For each graph, the bytes of its results that a later graph has read, each result once. A
    tensor is recognised by its storage, as long as that lives."""

    bytes: Counter[Piece] = field(default_factory=Counter)
    _given: WeakKeyDictionary[torch.UntypedStorage, Piece] = field(
        default_factory=WeakKeyDictionary
    )

    def take(self, args: Iterable[object]) -> None:
        """Records the arguments of a graph before it runs."""
        for tensor in _dense(args):
            giver = self._given.pop(tensor.untyped_storage(), None)
            if giver is not None:
                self.bytes[giver] += tensor.nbytes

    def give(self, piece: Piece, results: Iterable[object]) -> None:
        """Records the results of a graph."""
        self._given.update({tensor.untyped_storage(): piece for tensor in _dense(results)})


def _dense(values: Iterable[object]) -> Iterable[torch.Tensor]:
    """The tensors that lie in a storage."""
    return (x for x in values if isinstance(x, torch.Tensor) and x.layout is torch.strided)
