"""Interpreting a graph with a table of meanings: what the numpy, torch and jax.lax evaluators
share."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.library import callee_of
from compiler_core.ir.monoids import MONOIDS, Scalar
from compiler_core.ir.ops import FREE_VIEWS
from compiler_core.ir.types import DType

V = TypeVar("V")


def walk(region: Region, inputs: Sequence[V], meaning: Callable[..., Sequence[V]]) -> list[V]:
    """The values of the graph's outputs; `meaning(operation, *operands)` returns the values of one
    operation's results. A value is dropped after its last use. Raises VerifyError for another
    number of inputs than the region takes."""
    if len(inputs) != len(region.inputs):
        raise VerifyError(f"{region.name} takes {len(region.inputs)} inputs, not {len(inputs)}")
    values: dict[Value, V] = dict(zip(region.inputs, inputs, strict=True))
    kept = frozenset(region.outputs)
    last = {operand: operation for operation in region.operations for operand in operation.operands}
    for operation in region.operations:
        results = meaning(operation, *(values[x] for x in operation.operands))
        values |= zip(operation.results, results, strict=True)
        for operand in frozenset(operation.operands) - kept:
            if last[operand] is operation:
                del values[operand]
    return [values[output] for output in region.outputs]


def bodies(
    operation: Operation, meaning: Callable[..., Sequence[V]]
) -> list[Callable[[Sequence[V]], list[V]]]:
    """The operation's regions as Python functions of their arguments."""
    return [partial(walk, region, meaning=meaning) for region in operation.regions]


def foreign_call(graph: Graph, framework: Literal["torch", "jax"], runner: str) -> str | None:
    """Why `runner` (XLA or TorchInductor) cannot run the graph: it calls a kernel of the other
    framework. None if it can."""
    for operation in graph.walk():
        callee = callee_of(operation)
        if callee is not None and callee.framework != framework:
            return f"{runner} cannot run {callee.framework}'s {callee} here"
    return None


def literal(node: Value) -> float | int | bool | None:
    """The value of a constant all of whose elements are equal, also through views; None for every
    other value."""
    while node.op in FREE_VIEWS:
        node = node.operands[0]
    return node["value"] if node.op == "constant" else None


def identity(monoid: str, dtype: DType) -> Scalar:
    """The result of reducing no elements, for a monoid with one component."""
    (value,) = MONOIDS[monoid].identity(dtype)
    return value


def einsum_text(node: Value) -> str:
    """The einsum subscripts of a dot_general: batch letters, then rows, then columns."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    lhs = [next(letters) for _ in node.operands[0].type.shape]
    rhs = [next(letters) for _ in node.operands[1].type.shape]
    for sides in ("batch", "contract"):
        for i, j in zip(node[f"lhs_{sides}"], node[f"rhs_{sides}"], strict=True):
            rhs[j] = lhs[i]
    shared = (
        {*node["lhs_batch"], *node["lhs_contract"]},
        {*node["rhs_batch"], *node["rhs_contract"]},
    )
    result = [lhs[i] for i in node["lhs_batch"]]
    result += [a for i, a in enumerate(lhs) if i not in shared[0]]
    result += [a for i, a in enumerate(rhs) if i not in shared[1]]
    return f"{''.join(lhs)},{''.join(rhs)}->{''.join(result)}"
