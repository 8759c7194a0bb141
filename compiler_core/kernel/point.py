"""What the rules of indexed.py, pieces.py, windows.py and combined.py may ask of the lowering."""

from abc import ABC, abstractmethod

from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.sizes import Dim
from compiler_core.kernel.affine import Index
from compiler_core.kernel.definitions import Definitions
from compiler_core.kernel.kernel import Axis, Effect, Reduce, Scan


class Point(Definitions, ABC):
    """One point of the loop nest being lowered. In its methods `node` is the operation on whose
    behalf something is computed."""

    @abstractmethod
    def value(self, node: Value, index: Index) -> str:
        """The name of `node`'s element at `index`."""


class Nest(Point):
    """The loop nest around the point. `reduced_index` is the index over its reduce axes, of
    `reduced_shape`; `kept_shape` is that of the others; `effect_of` has the effects of operations
    at an index of their results; `backwards` says whether the scans run from the end, None
    without one."""

    axes: tuple[Axis, ...]
    reduced_index: Index
    reduced_shape: tuple[Dim, ...]
    kept_shape: tuple[Dim, ...]

    def __init__(self) -> None:
        super().__init__()
        self.backwards: bool | None = None
        self.effect_of: dict[tuple[Operation, Index], Reduce | Scan] = {}

    @abstractmethod
    def effect(self, effect: Effect, level: int) -> None:
        """Adds to the phase `level`."""
