"""The meaning of every operation in numpy: the oracle that all other meanings are tested against.

Floating-point operations are computed in float64 and rounded once to the result type, so an f32
result is the nearest float up to double rounding. Where StableHLO leaves the result to the
implementation, XLA's is used: an integer divided by zero is -1 (all bits set), its remainder the
dividend. Converting a float to an integer type that cannot represent it is undefined, as in C.
There is one file for each family of operations.
"""

from collections.abc import Sequence

import numpy as np

from compiler_core.ir.eval_numpy import control
from compiler_core.ir.eval_numpy.values import Array, Rule, SeveralRule, dtype_of
from compiler_core.ir.evaluate import bodies, walk
from compiler_core.ir.families import collect
from compiler_core.ir.graph import Graph, Operation

__all__ = ["RULES", "SEVERAL", "apply", "evaluate"]

RULES: dict[str, Rule] = collect(__name__, "RULES")

# The operations with any number of results; those with regions are control.py's.
SEVERAL: dict[str, SeveralRule] = collect(__name__, "SEVERAL")


def evaluate(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """The values of the outputs. Raises VerifyError if the number of inputs is wrong."""
    with np.errstate(all="ignore"):
        return walk(graph, [np.asarray(x) for x in inputs], apply)


def apply(operation: Operation, *operands: Array) -> Sequence[Array]:
    """The results of one operation, as arrays of their own types."""
    if operation.regions:
        return control.control(operation, bodies(operation, apply), operands)
    if operation.op in SEVERAL:
        results = SEVERAL[operation.op](operation, *operands)
    else:
        results = (RULES[operation.op](operation.result, *operands),)
    return [np.asarray(x, dtype_of(v)) for x, v in zip(results, operation.results, strict=True)]
