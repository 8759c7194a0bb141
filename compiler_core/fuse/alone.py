"""Each operation as a kernel of its own: the starting point of fusion."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from compiler_core.errors import LoweringError
from compiler_core.ir.graph import Graph, Region, Value
from compiler_core.ir.sizes import Undecided
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.indexed import is_scattered
from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.lowering import lower
from compiler_core.kernel.refusal import FusionRefusal

# The most characters of a buffer's name that is taken from an argument: longer ones would fill the
# lines of generated code.
_LONGEST_NAME = 32


@dataclass(frozen=True)
class Alone:
    """Every operation of a graph or region lowered to a kernel of its own. In `values` every view
    is materialized that some operation reads at a non-affine index; `names` has the name of each
    value's buffer, `kernels` the kernel of each fusible value."""

    values: FusionView
    names: dict[Value, str]
    kernels: dict[Value, Kernel]
    # The same for each region of the operations.
    regions: Mapping[Region, "Alone"]
    # The kernels, or refusals, of sets of operations that were lowered before: fusion by another
    # cost model tries many of the same sets.
    lowered: dict[frozenset[Value], Kernel | FusionRefusal] = field(default_factory=dict)


def each_alone(values: FusionView) -> Alone:
    """Lowers every operation by itself. Raises LoweringError for one that is no loop nest even when
    its operands are materialized.

    One pass over the operations finds the views to materialize; where such views are nested, there
    is another short pass for each level. Only what reads such a view is lowered again.
    """
    return _alone(values, {region: each_alone(inner) for region, inner in values.regions.items()})


def with_views(alone: Alone, views: frozenset[Value]) -> Alone:
    """`alone` lowered again, with `views` materialized as well."""
    materialized = alone.values.materialized | views
    return _alone(replace(alone.values, materialized=materialized), alone.regions)


def _alone(values: FusionView, regions: Mapping[Region, Alone]) -> Alone:
    kernels, names = dict[Value, Kernel](), names_of(values)
    waiting = list(values.fusible)
    while waiting:
        refused = _lower_each(waiting, values, names, kernels)
        views = dict.fromkeys(refused.values())
        _refuse_again(refused, values)
        values = replace(values, materialized=values.materialized.union(views))
        before, names = names, names_of(values) if views else names
        again = (*_reading(views, values), *_renamed(kernels, before, names))
        waiting = [*dict.fromkeys((*views, *refused, *again))]
    return Alone(values, names, kernels, regions)


def _lower_each(
    nodes: Iterable[Value],
    values: FusionView,
    names: Mapping[Value, str],
    kernels: dict[Value, Kernel],
) -> dict[Value, Value]:
    """Lowers each of `nodes` and adds its kernel to `kernels`. Returns, for each that cannot be
    lowered, the view that has to be materialized first."""
    refused = dict[Value, Value]()
    for node in nodes:
        kernel = lower("kernel", (node,), (node,), values, names)
        if isinstance(kernel, Kernel):
            kernels[node] = kernel
        elif kernel.needs_dense is None:
            error = Undecided if kernel.undecided else LoweringError
            raise error(f"{node!r} alone is no loop nest: {kernel.reason}")
        else:
            refused[node] = kernel.needs_dense
    return refused


def _refuse_again(refused: Mapping[Value, Value], values: FusionView) -> None:
    """Raises LoweringError if every view that `refused` asks for is materialized already:
    materializing it once more would change nothing."""
    if refused and values.materialized.issuperset(refused.values()):
        node, view = next(iter(refused.items()))
        raise LoweringError(f"{node!r} alone is no loop nest, though {view!r} is in memory")


def _reading(views: Iterable[Value], values: FusionView) -> Iterator[Value]:
    """The fusible values that read `views`, directly or through further views."""
    users, waiting = values.graph.users, [*views]
    seen = set(waiting)
    while waiting:
        found = (v for operation in users[waiting.pop()] for v in operation.results)
        for user in (v for v in found if v not in seen):
            seen.add(user)
            if values.is_fusible(user):
                yield user
            elif not values.is_buffer(user):
                waiting.append(user)


def _renamed(
    kernels: Mapping[Value, Kernel], before: Mapping[Value, str], names: Mapping[Value, str]
) -> list[Value]:
    """The operations whose kernels read or write a buffer that was renamed."""
    moved = {before[v] for v in names if names[v] != before[v]}
    return [n for n, k in kernels.items() if moved.intersection(b.name for b in k.buffers)]


def names_of(values: FusionView) -> dict[Value, str]:
    """The name of each value's buffer: in_<name> (or in0, ...), out0, ..., and b<id> for
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
