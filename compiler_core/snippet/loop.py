"""A method that calls a module again and again, as `generate` does."""

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any

from compiler_core.snippet.compiled import Compiled
from compiler_core.snippet.naming import name_of


@dataclass(frozen=True)
class Loop:
    """A method of the snippet that stays in Python, and the modules that it calls, one entry for
    each call."""

    method: Compiled
    calls: tuple[Any, ...]

    def sentences(self, programs: Container[Any]) -> Iterator[str]:
        """For each of `programs` that the method calls, a sentence that says why the method is not
        the program."""
        counts = Counter(name_of(fn) for fn in self.calls if fn in programs)
        name = name_of(self.method.fn)
        for inner, times in counts.items():
            yield (
                f"`{name}` calls `{inner}` {times} times, with Python between the calls: the "
                f"program is the first of them; `{name}` itself given to torch.compile is one"
            )
