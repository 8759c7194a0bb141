"""Operations, values, regions and graphs: immutable, single assignment, in topological order.

The grammar of a graph, as its text form prints it (ir/text.py):

    graph      ::= "graph" name symbols? region
    symbols    ::= "[" (name "=" hint "in" low ".." high? ("by" multiple)?),* "]"
    region     ::= "(" parameter,* ")" "{" operation* "return" value,* "}"
    parameter  ::= value ":" type
    operation  ::= value,+ "=" op "(" value,* ")" attributes? regions? ":" type,+
    regions    ::= (name region)+
    value      ::= "%" id

An operation has any number of results, each a Value, and any number of regions: bodies that it
runs with arguments of its own, such as the body of a `while`. A region uses no value of the graph
around it (MLIR calls this isolated from above): what it needs is passed in. So a pass, an evaluator
or the verifier treats a region as it treats a graph.

Equality is identity. A pass returns a new graph; nothing is changed in place.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self, TypeVar

from compiler_core.ir.library import draws_from_generator
from compiler_core.ir.types import TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One result of an operation, read by later operations. `id` is its name within one
    compilation, `index` its position among the results of its operation.

    A value forwards to the operation that defines it (`op`, `operands`, `origins`, attributes by
    name), because most operations have one result and readers ask "what computes this?".
    """

    id: int
    type: TensorType
    operation: "Operation"
    index: int = 0

    @property
    def op(self) -> str:
        """The name of the operation that defines the value; "parameter" for an argument."""
        return self.operation.op

    @property
    def operands(self) -> tuple["Value", ...]:
        return self.operation.operands

    @property
    def attrs(self) -> tuple[tuple[str, Any], ...]:
        return self.operation.attrs

    @property
    def origins(self) -> tuple[int, ...]:
        return self.operation.origins

    def __getitem__(self, attr: str) -> Any:
        return self.operation[attr]

    def __str__(self) -> str:
        return f"%{self.id}"

    def __repr__(self) -> str:
        return repr(self.operation)


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One application of a row of ir/ops/. `id` is that of its first result; the others follow it.

    `origins` are the ids of the captured operations that it comes from: the selection key that
    connects a line of the snippet with the generated lines.
    """

    id: int
    op: str
    operands: tuple[Value, ...]
    types: tuple[TensorType, ...]
    attrs: tuple[tuple[str, Any], ...] = ()
    origins: tuple[int, ...] = ()
    regions: tuple["Region", ...] = ()
    results: tuple[Value, ...] = field(init=False)

    def __post_init__(self) -> None:
        results = (Value(self.id + i, t, self, i) for i, t in enumerate(self.types))
        object.__setattr__(self, "results", tuple(results))

    @property
    def result(self) -> Value:
        """The result of an operation that has exactly one."""
        (only,) = self.results
        return only

    def __getitem__(self, attr: str) -> Any:
        for name, value in self.attrs:
            if name == attr:
                return value
        raise KeyError(f"{self.op} has no attribute {attr}")

    def __repr__(self) -> str:
        results, operands = (", ".join(map(str, x)) for x in (self.results, self.operands))
        return f"{results} = {self.op}({operands}) : {', '.join(map(str, self.types))}"


@dataclass(frozen=True, eq=False)
class Region:
    """A body with arguments (`inputs`) and results (`outputs`) that uses no values from outside.

    `operations` holds every operation that `outputs` depend on, operands first. The arguments are
    values of "parameter" operations, which are not among them.
    """

    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    operations: tuple[Operation, ...]

    @classmethod
    def of(cls, name: str, inputs: Iterable[Value], outputs: Iterable[Value]) -> Self:
        """The region that computes `outputs`, its operations in dependence order, depth first."""
        inputs, outputs = tuple(inputs), tuple(outputs)
        return cls(name, inputs, outputs, tuple(_topological(inputs, outputs)))

    @cached_property
    def computed(self) -> tuple[Value, ...]:
        """The results of all operations, in order."""
        return tuple(value for operation in self.operations for value in operation.results)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The arguments, then the results of all operations."""
        return (*self.inputs, *self.computed)

    @cached_property
    def users(self) -> dict[Value, tuple[Operation, ...]]:
        """The operations that read each value; an operation that reads it twice is listed once."""
        result: dict[Value, list[Operation]] = {value: [] for value in self.values}
        for operation in self.operations:
            for operand in dict.fromkeys(operation.operands):
                result[operand].append(operation)
        return {value: tuple(users) for value, users in result.items()}

    def walk(self) -> Iterator[Operation]:
        """Every operation, those of nested regions before the operation that contains them."""
        for operation in self.operations:
            for region in operation.regions:
                yield from region.walk()
            yield operation

    @property
    def next_id(self) -> int:
        """The smallest id above all ids of this region and of those nested in it."""
        inner = (r.next_id for o in self.operations for r in o.regions)
        own = (value.id + 1 for value in self.values)
        return max(*own, *inner, 0, 0)


class Graph(Region):
    """The outermost region: a whole program, or one piece of it."""


# The type of functions that return a region of the kind that they are given: for a graph, a graph.
AnyRegion = TypeVar("AnyRegion", bound=Region)


def _topological(inputs: tuple[Value, ...], outputs: tuple[Value, ...]) -> list[Operation]:
    """What takes from a generator is in the order of its ids, in which it was captured: in another
    one the same seed would give other numbers."""
    found = list(_depth_first(inputs, outputs))
    drawn = [operation for operation in found if draws_from_generator(operation)]
    in_order = sorted(drawn, key=lambda operation: operation.id)
    if drawn != in_order:
        found = list(_depth_first(inputs, (*(o.results[0] for o in in_order), *outputs)))
    return found


def _depth_first(inputs: tuple[Value, ...], outputs: tuple[Value, ...]) -> Iterator[Operation]:
    seen = {value.operation for value in inputs}
    for output in outputs:
        stack: list[tuple[Operation, bool]] = [(output.operation, False)]
        while stack:
            operation, expanded = stack.pop()
            if expanded:
                yield operation
            elif operation not in seen:
                seen.add(operation)
                stack.append((operation, True))
                stack.extend((x.operation, False) for x in reversed(operation.operands))
