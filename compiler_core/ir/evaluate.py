"""Walking a graph with a table of meanings: what the numpy, torch and jax.lax evaluators share."""

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Graph, Node
from compiler_core.ir.types import BOOL, DType

V = TypeVar("V")


def walk(graph: Graph, inputs: Sequence[V], meaning: Callable[..., V]) -> list[V]:
    """The values of the outputs; `meaning(node, *operands)` is the value of one node. A value is
    dropped after its last use."""
    if len(inputs) != len(graph.inputs):
        raise VerifyError(f"{graph.name} takes {len(graph.inputs)} inputs, not {len(inputs)}")
    values: dict[Node, V] = dict(zip(graph.inputs, inputs, strict=True))
    kept = frozenset(graph.outputs)
    last = {operand: node for node in graph.ops for operand in node.inputs}
    for node in graph.ops:
        values[node] = meaning(node, *(values[x] for x in node.inputs))
        for operand in frozenset(node.inputs) - kept:
            if last[operand] is node:
                del values[operand]
    return [values[output] for output in graph.outputs]


def foreign_call(graph: Graph, framework: Literal["torch", "jax"], runner: str) -> str | None:
    """Why `runner` (XLA, TorchInductor) cannot run the graph: it calls a kernel of the other
    framework. None where it can."""
    for node in graph.ops:
        if node.op == "library_call" and node["callee"].framework != framework:
            callee = node["callee"]
            return f"{runner} cannot run {callee.framework}'s {callee} here"
    return None


def literal(node: Node) -> float | int | bool | None:
    """The one value of a splat constant, through views; None for every other node."""
    while node.op in ("broadcast_in_dim", "reshape", "transpose", "slice", "reverse"):
        node = node.inputs[0]
    return node["value"] if node.op == "constant" else None


def identity(monoid: str, dtype: DType) -> float | int | bool:
    """The value of a reduction over no elements."""
    if monoid in ("add", "multiply", "or"):
        return _as(monoid == "multiply", dtype)
    if monoid == "and":
        return -1 if dtype.kind == "int" else _limits(dtype)[1]
    return _limits(dtype)[0 if monoid == "maximum" else 1]


def _as(value: int, dtype: DType) -> float | int | bool:
    """0 or 1 as the type has it."""
    return float(value) if dtype.is_float else bool(value) if dtype is BOOL else int(value)


def _limits(dtype: DType) -> tuple[float | int | bool, float | int | bool]:
    if dtype.is_float:
        return -math.inf, math.inf
    if dtype is BOOL:
        return False, True
    if dtype.kind == "uint":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1


def einsum_text(node: Node) -> str:
    """A dot_general as einsum writes it: batch letters, then rows, then columns."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    lhs = [next(letters) for _ in node.inputs[0].type.shape]
    rhs = [next(letters) for _ in node.inputs[1].type.shape]
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
