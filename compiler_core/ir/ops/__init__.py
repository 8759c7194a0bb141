"""The closed table of operations: a row is a name and its traits, never behaviour.

Names and semantics are StableHLO's (CHLO's for erf and related functions). Type rules, the numpy,
torch and jax.lax meanings, and the C and Triton texts are tables of their own, keyed by these names
and split into the same families; each table's tests assert that it is complete.
"""

from types import ModuleType

from compiler_core.ir.ops import (
    contraction,
    control,
    elementwise,
    indexing,
    leaves,
    library,
    order,
    random,
    reductions,
    views,
)
from compiler_core.ir.ops.elementwise import COMPARE_DIRECTIONS
from compiler_core.ir.ops.info import Fusion, OpInfo

__all__ = [
    "COMPARE_DIRECTIONS", "ELEMENTWISE", "FAMILIES", "FREE_VIEWS", "OPS", "Fusion",
    "OpInfo", "family",
]  # fmt: skip

_MODULES: tuple[ModuleType, ...] = (
    leaves,
    elementwise,
    views,
    reductions,
    indexing,
    order,
    random,
    contraction,
    control,
    library,
)

# The operations of each family, by the name of its file in every room.
FAMILIES: dict[str, tuple[OpInfo, ...]] = {
    module.__name__.rpartition(".")[2]: module.ROWS for module in _MODULES
}
OPS: dict[str, OpInfo] = {row.name: row for rows in FAMILIES.values() for row in rows}

_FAMILY_OF = {row.name: name for name, rows in FAMILIES.items() for row in rows}


def family(op: str) -> str:
    """The family that an operation belongs to."""
    return _FAMILY_OF[op]


ELEMENTWISE = frozenset(row.name for row in FAMILIES["elementwise"])
FREE_VIEWS = frozenset(row.name for row in OPS.values() if row.free_view)
