"""Random graphs: a few steps, the one that is asked for, and a few more."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from compiler_core.ir.build import Builder
from compiler_core.ir.families import collect
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.ops import FAMILIES
from compiler_core.ir.sizes import MOST, Dim, Symbol, size
from compiler_core.ir.types import F32, TensorType
from conformance.graphs.exactness import Array
from conformance.graphs.growing import Growing, Known, Sizes, Unfit
from conformance.graphs.table import Step

STEPS: dict[str, Step] = collect("conformance.graphs", "STEPS")

_FEW: tuple[Dim, ...] = (1, 2, 3, 4, 5, 8)
_MANY: tuple[Dim, ...] = (*_FEW, 0, 7, 16, 17, 33)
_B, _T = Symbol("B", 3, 2, MOST), Symbol("T", 5, 2, MOST)
_SYMBOLIC: tuple[Dim, ...] = (size(_B), size(_T), size(_B) * 2, 1, 2, 3, 4)
# What symbols are at the call that a graph is compiled for, and at others.
CALLS: tuple[Sizes, ...] = ({_B: 3, _T: 5}, {_B: 2, _T: 2}, {_B: 17, _T: 3})
_TRIES = 12
_MOST_ENDS = 4
_OF_FAMILY = {name: [row.name for row in rows] for name, rows in FAMILIES.items()}
_LEAVES = frozenset(_OF_FAMILY["leaves"])
# How often a step is of a family.
_FAMILIES = (
    *("elementwise",) * 6, *("views",) * 5, *("reductions",) * 3, *("indexing",) * 3,
    *("contraction",) * 2, "order", "control", "leaves", "library", "random",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Random:
    """A graph, and its inputs and the sizes of each call."""

    graph: Graph
    calls: tuple[Sizes, ...]
    inputs: tuple[Sequence[Array], ...]


def grown(rng: random.Random, op: str, *, symbolic: bool = False) -> Random | None:
    """A graph that has `op`; None where no step of it fits."""
    calls: tuple[Sizes, ...] = CALLS if symbolic else ({},)
    dims = _SYMBOLIC if symbolic else rng.choice((_FEW, _FEW, _FEW, _MANY))
    g = Growing(rng, Builder(), calls, dims)
    if symbolic:  # a program's sizes are those of its inputs
        g.leaf(TensorType(F32, (size(_B), size(_T))))
    _some(g, rng.choice((1, 2, 4, 7)))
    for _ in range(_TRIES):
        try:
            wanted = STEPS[op](g)
            break
        except Unfit:
            continue
    else:
        return None
    _some(g, rng.choice((0, 2, 5, 9)))
    assert g.inputs is not None
    inputs = tuple([x[i] for x in g.inputs] for i in range(len(calls)))
    return Random(g.builder.graph("random", _outputs(g, wanted)), calls, inputs)


def _some(g: Growing, count: int) -> None:
    """Up to so many steps, most of which compute something of what is there."""
    for _ in range(count):
        for _ in range(3):
            try:
                STEPS[g.rng.choice(_OF_FAMILY[g.rng.choice(_FAMILIES)])](g)
                break
            except Unfit:
                continue


def _outputs(g: Growing, wanted: Known) -> list[Value]:
    """What no other operation reads, `wanted`, and at times what others read as well."""
    read = {x for k in g.pool for x in k.value.operands}
    ends = [k.value for k in g.pool if k.value not in read and k.value.op not in _LEAVES]
    others = [g.pool[g.below(len(g.pool))].value for _ in range(g.rng.randint(0, 2))]
    return list(dict.fromkeys((*ends[-_MOST_ENDS:], wanted.value, *others)))
