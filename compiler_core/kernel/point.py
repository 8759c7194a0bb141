"""What the rules of indexed.py, pieces.py, windows.py and combined.py may ask of the lowering."""

from contextlib import AbstractContextManager
from typing import Protocol

from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.types import DType
from compiler_core.kernel.affine import Index
from compiler_core.kernel.kernel import Affine, Axis, Def, Effect, Reduce, Scalar, Scan


class Point(Protocol):
    """One point of the loop nest being lowered. Values go by name; a bool value that is None
    always holds. `node` is the operation on whose behalf something is computed."""

    extents: dict[str, int]

    def value(self, node: Value, index: Index) -> str:
        """The name of `node`'s element at `index`."""

    def compute(
        self, node: Value, dtype: DType, op: str, args: tuple[str, ...], direction: str = ""
    ) -> str:
        """An elementwise operation on values."""

    def choose(self, node: Value, condition: str, value: str, other: str) -> str: ...

    def both(self, node: Value, a: str | None, b: str | None) -> str | None:
        """a and b."""

    def constant(self, dtype: DType, value: Scalar) -> str: ...

    def definition(self, name: str) -> Def | None:
        """None for a row value, which a reduction makes."""

    def number(self, node: Value, part: Affine) -> str:
        """The value of an index, in i32."""

    def inside(self, node: Value, part: Affine, size: int) -> str | None:
        """0 <= part < size."""

    def under(self, node: Value, condition: str | None) -> AbstractContextManager[None]:
        """What is asked for within is needed where `condition` holds only."""


class Nest(Point, Protocol):
    """The loop nest around the point. `folded` is the index over its reduce axes, of
    `folded_shape`; `level` the number of the first phase in which a value is there; `made` the
    effects of operations at an index of their results."""

    axes: tuple[Axis, ...]
    folded: Index
    folded_shape: tuple[int, ...]
    kept_shape: tuple[int, ...]
    level: dict[str, int]
    mask: str | None
    backwards: bool | None
    made: dict[tuple[Operation, Index], Reduce | Scan]

    def new_name(self, level: int) -> str:
        """A new value's."""

    def index(self, node: Value, dtype: DType, at: Affine) -> str:
        """The value of an index, on behalf of `node`."""

    def effect(self, effect: Effect, level: int) -> None:
        """Adds to the phase `level`."""
