"""The matrix products that every compiled program for a graph must compute.

A compiler may compute less than was written: a product of which only a part is read, or that is
summed or multiplied further, can be regrouped, so that (a @ b) @ v is a @ (b @ v). Such products
are not counted here, nor are convolutions, for which there are algorithms with fewer
multiplications.
"""

from collections import Counter
from math import prod

from compiler_core.ir import ops
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import DType

_SUMS = ("dot_general", "reduce")


def products(graph: Graph) -> dict[DType, int]:
    """The operations of these products, by the dtype of their operands; a multiply-add is two.
    Sizes must be numbers."""
    found: Counter[DType] = Counter()
    seen: set[tuple[Value, bool]] = set()
    counted: set[tuple[object, ...]] = set()
    ways = [(value, False) for value in graph.outputs]
    while ways:
        way = value, regrouped = ways.pop()
        if way in seen or value.operation.regions:
            continue
        seen.add(way)
        same = (value.op, value.operands, value.attrs)
        if value.op == "dot_general" and not regrouped and same not in counted:
            counted.add(same)
            found[value.operands[0].type.dtype] += _flops(value)
        regrouped = (regrouped or value.op in _SUMS) and not ops.OPS[value.op].nonlinear
        ways += [(x, regrouped) for x in _whole(value)]
    return dict(found)


def _whole(value: Value) -> tuple[Value, ...]:
    """The operands of which every element may be needed."""
    return value.operands[1:] if ops.OPS[value.op].reads_part else value.operands


def _flops(value: Value) -> int:
    lhs = value.operands[0].type
    return 2 * value.type.numel * prod(lhs.sizes[d] for d in value["lhs_contract"])
