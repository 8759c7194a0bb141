"""Each operation as a kernel of its own: the starting point of fusion."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from compiler_core.errors import LoweringError
from compiler_core.ir.graph import Graph, Region, Value
from compiler_core.ir.sizes import Undecided
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.indexed import is_scattered
from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.lowering import lower
from compiler_core.kernel.refusal import FusionRefusal

_LONGEST_NAME = 32


@dataclass(frozen=True)
class Alone:
    """`values` has every view materialized that some operation reads at a non-affine index; `names`
    are the names of each value's memory; `kernels` has a kernel for each member."""

    values: FusionView
    names: dict[Value, str]
    kernels: dict[Value, Kernel]
    # The same of each region that the operations have.
    regions: Mapping[Region, "Alone"]
    # What sets of operations lower to, as far as is known: fusions by other costs ask again.
    lowered: dict[frozenset[Value], Kernel | FusionRefusal] = field(default_factory=dict)


def each_alone(values: FusionView) -> Alone:
    """Lowers every operation by itself. Raises LoweringError for one that is no loop nest even when
    its operands are materialized.

    One pass over the operations finds the views to materialize; where such views are nested, there
    is another short pass for each level. The readers of these views are then lowered again.
    """
    names, kernels = names_of(values), dict[Value, Kernel]()
    seen, waiting = values, list(values.fusible)
    while waiting:
        refused = dict[Value, Value]()
        for node in waiting:
            kernel = lower("kernel", (node,), (node,), seen, names)
            if isinstance(kernel, Kernel):
                kernels[node] = kernel
            elif kernel.needs_dense is None:
                error = Undecided if kernel.undecided else LoweringError
                raise error(f"{node!r} alone is no loop nest: {kernel.reason}")
            else:
                refused[node] = kernel.needs_dense
        views = dict.fromkeys(refused.values())
        waiting = [*views, *refused]
        seen = replace(values, materialized=seen.materialized.union(views))
    found = seen.materialized != values.materialized
    if found:
        return each_alone(seen)
    regions = {region: each_alone(inner) for region, inner in values.regions.items()}
    return Alone(values, names, kernels, regions)


def names_of(values: FusionView) -> dict[Value, str]:
    """The name of each value's memory: in_<name> (or in0, ...), out0, ..., and b<id> for
    temporaries and for everything in a region, whose ids are unique in the whole graph. The prefix
    keeps user-chosen names apart from keywords and loop variables."""
    names = {n: f"b{n.id}" for n in values.graph.values}
    if isinstance(values.graph, Graph):
        names |= _names_of_call(values, values.graph)
    for node in reversed(values.graph.computed):
        if is_scattered(node):  # changes its operand's memory
            names[values.base(node.operands[0])] = names[node]
    return names


def _names_of_call(values: FusionView, graph: Graph) -> dict[Value, str]:
    results = dict.fromkeys(values.base(n) for n in graph.outputs)
    names = {n: f"out{i}" for i, n in enumerate(results)}
    taken: set[str] = set()
    for i, node in enumerate(graph.inputs):
        own = re.sub(r"\W+", "_", str(node["name"])).strip("_")
        name = f"in_{own}" if own.isascii() and 0 < len(own) <= _LONGEST_NAME else f"in{i}"
        names[node] = name if name not in taken else f"{name}_{i}"
        taken.add(names[node])
    return names
