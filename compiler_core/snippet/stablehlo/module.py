"""A StableHLO module as plain values, read by the parser that JAX brings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Type:
    """A tensor's type by its shape and the name of its element type as MLIR has it: "f32", "i1"."""

    shape: tuple[int, ...]
    element: str


# A value of a function or a region: its number, unique in the module.
Value = int


@dataclass(frozen=True)
class Operation:
    """One operation with its name as printed ("stablehlo.add") and its position in the text: line
    from 1, column from 0. Attributes are numbers, strings, tuples, numpy arrays and, for dimension
    numbers, dicts."""

    name: str
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    types: tuple[Type, ...]
    attributes: dict[str, Any]
    regions: tuple["Region", ...]
    line: int
    column: int


@dataclass(frozen=True)
class Region:
    """One block: its arguments, its operations and what it returns."""

    arguments: tuple[Value, ...]
    types: tuple[Type, ...]
    operations: tuple[Operation, ...]
    returned: tuple[Value, ...]


@dataclass(frozen=True)
class Function:
    """A function of the module, and the line of its name."""

    name: str
    body: Region
    line: int
    public: bool


@dataclass(frozen=True)
class Module:
    """The functions by name, in the order of the text."""

    functions: dict[str, Function]

    def public(self) -> list[Function]:
        """The functions that can be called from outside; if all are private, those that no other
        calls."""
        public = [f for f in self.functions.values() if f.public]
        called = {o.attributes.get("callee") for f in self.functions.values() for o in _all(f.body)}
        return public or [f for f in self.functions.values() if f.name not in called]


def _all(region: Region) -> Iterator[Operation]:
    for operation in region.operations:
        yield operation
        for inner in operation.regions:
            yield from _all(inner)
