"""The type of a type rule, and two rules that many operations share."""

from collections.abc import Callable, Mapping
from typing import Any

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Region
from compiler_core.ir.types import TensorType

Types = tuple[TensorType, ...]
Attrs = Mapping[str, Any]
# The type rule of an operation with one result and no regions.
Rule = Callable[[Types, Attrs], TensorType]
SeveralRule = Callable[[Types, Attrs, tuple[Region, ...]], Types]


def check(condition: bool, message: Callable[[], str]) -> None:
    """Raises VerifyError with the message if `condition` is false; the message is built only
    then."""
    if not condition:
        raise VerifyError(message())


def declared(operands: Types, attrs: Attrs) -> TensorType:
    """The rule of operations that declare their result type as an attribute."""
    result: TensorType = attrs["type"]
    return result


def same(operands: Types, attrs: Attrs) -> TensorType:
    """The rule of operations whose operands and result all have one type."""
    first = operands[0]
    check(
        all(t == first for t in operands),
        lambda: f"operands differ: {', '.join(map(str, operands))}",
    )
    return first
