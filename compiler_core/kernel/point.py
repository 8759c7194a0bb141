"""What the rules of kernel/indexed.py may ask of the lowering that calls them."""

from typing import Protocol

from compiler_core.ir.graph import Value
from compiler_core.ir.types import DType
from compiler_core.kernel.affine import Index
from compiler_core.kernel.kernel import Affine, Def, Scalar


class Point(Protocol):
    """One point of the loop nest being lowered. Values go by name."""

    extents: dict[str, int]

    def value(self, node: Value, index: Index) -> str:
        """The name of `node`'s element at `index`."""

    def compute(
        self, node: Value, dtype: DType, op: str, args: tuple[str, ...], direction: str = ""
    ) -> str:
        """An elementwise operation on values, on behalf of `node`."""

    def constant(self, dtype: DType, value: Scalar) -> str: ...

    def definition(self, name: str) -> Def | None:
        """None for a row value, which a reduction makes."""

    def piece(
        self, node: Value, operand: Value, starts: tuple[Affine, ...], index: Index, other: str
    ) -> str:
        """`operand` where `index` falls in its box at `starts`, else `other`."""
