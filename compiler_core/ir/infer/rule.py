"""What a type rule is, and the two that many operations share."""

from collections.abc import Callable, Mapping
from typing import Any

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Region
from compiler_core.ir.types import TensorType

Types = tuple[TensorType, ...]
Attrs = Mapping[str, Any]
# Of the operations with one result and no regions.
Rule = Callable[[Types, Attrs], TensorType]
SeveralRule = Callable[[Types, Attrs, tuple[Region, ...]], Types]


def check(condition: bool, message: Callable[[], str]) -> None:
    """Raises VerifyError with the message, which is made only then."""
    if not condition:
        raise VerifyError(message())


def declared(operands: Types, attrs: Attrs) -> TensorType:
    """Operations whose result type is not a function of their operands carry it."""
    result: TensorType = attrs["type"]
    return result


def same(operands: Types, attrs: Attrs) -> TensorType:
    """The type that all operands have."""
    first = operands[0]
    check(
        all(t == first for t in operands),
        lambda: f"operands differ: {', '.join(map(str, operands))}",
    )
    return first
