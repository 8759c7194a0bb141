"""The interface of the lowering for the rules in indexed.py, pieces.py, windows.py and
combined.py.

A rule does not call for what it reads: it yields the value and the index, and is sent the name of
that element. So operands are lowered from a stack of rules that wait, however deep a kernel is.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TypeVar

from compiler_core.ir.graph import Operation, Value
from compiler_core.kernel.affine import Index
from compiler_core.kernel.definitions import Definitions
from compiler_core.kernel.effects import Effect, Reduce, Scan
from compiler_core.kernel.loop_space import LoopSpace

T = TypeVar("T")
# Asks for elements, by value and index, and is sent their names.
Asking = Generator[tuple[Value, Index], str, T]


class Nest(Definitions, ABC):
    """The loop nest around the point. `effect_of` has the effects by operation and index of its
    results; `backwards` says whether the scans run from the end, None without a scan."""

    loops: LoopSpace

    def __init__(self, most: int | None = None) -> None:
        super().__init__(most)
        self.backwards: bool | None = None
        self.effect_of: dict[tuple[Operation, Index], Reduce | Scan] = {}

    @abstractmethod
    def effect(self, effect: Effect, level: int) -> None:
        """Adds an effect to the phase `level`."""
