"""The meaning of every operation in jax.lax: what XLA is given for a program captured from torch.

There is one file for each family of operations.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from compiler_core.ir.eval_jax.scopes import scope_of
from compiler_core.ir.eval_jax.values import Array, Rule, SeveralRule
from compiler_core.ir.evaluate import bodies, foreign_call, walk
from compiler_core.ir.families import collect
from compiler_core.ir.graph import Graph, Operation

RULES: dict[str, Rule] = collect(__name__, "RULES")

# The operations with any number of results, and those with regions: their rules take these too.
SEVERAL: dict[str, SeveralRule] = collect(__name__, "SEVERAL")
CONTROL: dict[str, SeveralRule] = collect(__name__, "CONTROL")


def refusal(graph: Graph) -> str | None:
    """Why XLA cannot run the graph; None if it can."""
    return foreign_call(graph, "jax", "XLA")


def needs_x64(graph: Graph) -> bool:
    """Whether the graph has 64-bit types, which JAX supports only under `jax.enable_x64(True)`."""
    types = (t for operation in graph.walk() for t in operation.types)
    return any(t.dtype.bits == 64 for t in (*types, *(x.type for x in graph.inputs)))


def function(graph: Graph) -> Callable[..., list[Array]]:
    """The graph as a function of its flat inputs, for jax.jit. Trace it under `jax.enable_x64` if
    the graph `needs_x64`; `refusal` must have returned None. What XLA makes of an operation is
    named after its origins."""

    def run(*inputs: Array) -> list[Array]:
        return walk(graph, inputs, apply)

    run.__name__ = graph.name if graph.name.isidentifier() else "program"
    return run


def evaluate(graph: Graph, inputs: Sequence[Any]) -> list[Array]:
    """The values of the outputs, compiled by XLA as one program."""
    with jax.enable_x64(True):
        arrays = [jax.numpy.asarray(x) for x in inputs]
        return jax.jit(function(graph))(*arrays)


def apply(operation: Operation, *operands: Array) -> Sequence[Array]:
    """The results of one operation, named after its origins."""
    with scope_of(operation.origins):
        if operation.regions:
            return CONTROL[operation.op](operation, bodies(operation, apply), *operands)
        if operation.op in SEVERAL:
            return SEVERAL[operation.op](operation, *operands)
        return (RULES[operation.op](operation.result, *operands),)
