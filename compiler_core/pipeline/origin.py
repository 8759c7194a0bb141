"""The snippet of the programs: it can be run again with its text changed."""

import linecache
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from compiler_core import report
from compiler_core.errors import SnippetError
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.run import find_programs
from compiler_core.snippet.source import FILE


class _Generators:
    """The states of the random generators that a snippet may use without naming one."""

    def __init__(self) -> None:
        self._python, self._numpy = random.getstate(), np.random.get_state()
        self._torch = _torch_state()

    def restore(self) -> None:
        random.setstate(self._python)
        np.random.set_state(self._numpy)
        _set_torch_state(self._torch)


@dataclass(frozen=True)
class Origin:
    """`memory` is torch's device type for the snippet's tensors; `compiled(program, like, emit)`
    compiles a program as the Compilation `like` was, and calls `emit` with each event. It must be
    created before the snippet runs."""

    text: str
    options: report.Options
    memory: str
    compiled: Callable[..., Any]
    _random: _Generators = field(default_factory=_Generators)

    def programs(self, text: str) -> tuple[FoundProgram, ...]:
        """The programs of a changed text, which draws the same random numbers as the snippet.
        Raises SnippetError if the text fails or has no program; prints nothing."""
        shown = linecache.cache.get(FILE)
        now = _Generators()
        self._random.restore()
        try:
            found = find_programs(text, self.options, self.memory, lambda event: None)
        finally:
            now.restore()
            if shown is not None:  # where lines of the snippet are shown, they are those it has
                linecache.cache[FILE] = shown
        if found.error is not None:
            raise SnippetError(
                found.error.message, line=found.error.line, remedy=found.error.remedy
            )
        return found.programs


def _torch_state() -> Any:
    """None of a process without torch: the state is then torch's first one."""
    torch = _torch()
    return None if torch is None else torch.get_rng_state()


def _set_torch_state(state: Any) -> None:
    torch = _torch()
    if torch is None:
        return
    if state is None:
        torch.manual_seed(torch.Generator().initial_seed())
    else:
        torch.set_rng_state(state)


def _torch() -> Any:
    return sys.modules.get("torch")
