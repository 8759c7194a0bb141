"""The random generators that a program may draw from besides its framework's default one: Python's,
NumPy's, and generator objects of these and of torch that the program's names refer to."""

import random
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np


class Generators:
    """The current states of Python's and NumPy's global generators and of those generator objects
    among the values `named`."""

    def __init__(self, named: Iterable[Any] = ()) -> None:
        named = list(named)
        self.python, self.numpy = random.getstate(), np.random.get_state()
        known = (g for g in named if isinstance(g, np.random.Generator | random.Random))
        self._named = [(g, _state(g)) for g in known]
        self._torchs = [(g, g.get_state()) for g in named if _is_torchs(g)]

    def restore(self) -> None:
        """Restores these states."""
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        for generator, state in self._named:
            _set(generator, state)
        for generator, state in self._torchs:
            generator.set_state(state)

    def drawn(self) -> bool:
        """Whether any generator has been drawn from, or seeded, since. torch's do not count:
        operations of a graph draw from them."""
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
