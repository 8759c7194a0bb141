"""Indices that gcc may recognise as bools and vectorise wrongly, and which are therefore hidden
from it.

gcc 12 vectorises `table[(x[i] != 0) + 1]` with lanes of 0 and -1 for false and true, and so reads
the wrong elements. It does the same wherever it can fold an index to a bool: `v % 4` where v is
one, a clamp, a select between two numbers. An index that is hidden from it is not vectorised, and
right.
"""

from collections.abc import Iterable

from compiler_core.ir.types import BOOL
from compiler_core.kernel.kernel import Compute, Const, Kernel, Load

# Operations that gcc may fold to a bool if one operand is a bool and the others are the same in all
# lanes.
_SUMS = frozenset({"add", "subtract", "multiply", "convert"})


def indices_of_truths(kernel: Kernel) -> frozenset[str]:
    """The values by which memory is indexed that gcc may fold to bools."""
    accesses = [d.access for d in kernel.defs if isinstance(d, Load)]
    accesses += [e.access for e in kernel.stores]
    used = {value for access in accesses for value in access.values}
    return frozenset(used & _folded(kernel)) if used else frozenset()


def _folded(kernel: Kernel) -> set[str]:
    """The truths, and what numbers and truths alone decide."""
    found = {d.name for d in kernel.defs if d.dtype is BOOL}
    numbers = {d.name for d in kernel.defs if isinstance(d, Const)}
    found |= {name for name in kernel.reductions if kernel.dtype_of(name) is BOOL}
    for d in kernel.defs:
        if isinstance(d, Compute) and d.name not in found and _folds(d, found, numbers):
            found.add(d.name)
    return found


def _folds(d: Compute, found: set[str], numbers: set[str]) -> bool:
    varying = [a for a in d.args if a not in numbers]
    return _some(varying, found) if d.op in _SUMS else found.issuperset(_chosen(d, varying))


def _chosen(d: Compute, varying: list[str]) -> list[str]:
    """What decides the result: of a choice, what is chosen from."""
    return [a for a in varying if a in d.args[1:]] if d.op == "select" else varying


def _some(args: Iterable[str], found: set[str]) -> bool:
    return not found.isdisjoint(args)
