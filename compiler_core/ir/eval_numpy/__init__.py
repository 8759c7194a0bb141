"""What every operation means, in numpy: the oracle that everything else is held against.

A floating-point operation is computed in float64 and rounded once to its own type, so an f32
result is the nearest float but for double rounding. What StableHLO leaves to the implementation
is as XLA has it: an integer divided by zero is -1 (all bits set), its remainder the dividend.
A conversion of a float to an integer that cannot hold it is undefined here as it is in C.
A family of operations has a file.
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
    """The outputs' values. Raises VerifyError for a wrong number of inputs."""
    with np.errstate(all="ignore"):
        return walk(graph, [np.asarray(x) for x in inputs], apply)


def apply(operation: Operation, *operands: Array) -> Sequence[Array]:
    """The values of one operation's results."""
    if operation.regions:
        return control.control(operation, bodies(operation, apply), operands)
    if operation.op in SEVERAL:
        made = SEVERAL[operation.op](operation, *operands)
    else:
        made = (RULES[operation.op](operation.result, *operands),)
    return [np.asarray(x, dtype_of(v)) for x, v in zip(made, operation.results, strict=True)]
