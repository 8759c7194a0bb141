"""The random generators that a program may draw from beside its framework's default one: Python's,
NumPy's, and objects of theirs and of torch's that it has among its names."""

import random
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np


class Generators:
    """Their states now: of those that have no name, and of `named` ones."""

    def __init__(self, named: Iterable[Any] = ()) -> None:
        named = list(named)
        self.python, self.numpy = random.getstate(), np.random.get_state()
        known = (g for g in named if isinstance(g, np.random.Generator | random.Random))
        self._named = [(g, _state(g)) for g in known]
        self._torchs = [(g, g.get_state()) for g in named if _is_torchs(g)]

    def restore(self) -> None:
        """Sets the states to these."""
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        for generator, state in self._named:
            _set(generator, state)
        for generator, state in self._torchs:
            generator.set_state(state)

    def drawn(self) -> bool:
        """Whether any has been drawn from, or seeded, since, but for torch's, which are drawn from
        by operations of a graph."""
        now = Generators(generator for generator, _ in self._named)
        return str(self._all()) != str(now._all())

    def _all(self) -> Any:
        return self.python, _plain(self.numpy), [state for _, state in self._named]


def _plain(state: Any) -> Any:
    """A state of NumPy's, whose text would otherwise leave out most of it."""
    return tuple(x.tolist() if isinstance(x, np.ndarray) else x for x in state)


def _is_torchs(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Generator)


def _state(generator: Any) -> Any:
    own = isinstance(generator, random.Random)
    return generator.getstate() if own else generator.bit_generator.state


def _set(generator: Any, state: Any) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
    else:
        generator.bit_generator.state = state
