"""TorchInductor's decisions on pairs of its scheduler's nodes, each pair once: it considers a pair
again in every round, in both orders, and as parts of nodes that it has fused meanwhile."""

from collections.abc import Iterable, Sequence

from compiler_core.reference.inductor.records import Pair, Unit

# Inductor's reasons that say only that the pair was considered in the wrong order.
_WRONG_WAY_ROUND = ("node1 must go before node2",)

# The reason for a pair that Inductor never considers; it calls such a node "unfusable".
NOT_CONSIDERED = "not considered: a library call is fused with nothing"


def fused_pairs(pairs: Iterable[Pair], kernels: Sequence[Unit]) -> list[Pair]:
    """The pairs that were fused and end up in one kernel, in order."""
    home = _homes(kernels)
    found = {
        (p.first.members, p.second.members): p
        for p in pairs
        if p.fused and _home(p.first, home) == _home(p.second, home)
    }
    return list(found.values())


def refused_pairs(pairs: Iterable[Pair], kernels: Sequence[Unit]) -> list[Pair]:
    """A pair for each two of `kernels`, the nodes after fusion, that were considered and end up
    separate, with the last reason given for them or for parts of them."""
    home = _homes(kernels)
    found: dict[tuple[int, int], Pair] = {}
    for pair in pairs:
        first, second = _home(pair.first, home), _home(pair.second, home)
        if pair.fused or first == second or first is None or second is None:
            continue
        key = (min(first, second), max(first, second))
        if key not in found or pair.reason not in _WRONG_WAY_ROUND:
            found[key] = Pair(kernels[key[0]], kernels[key[1]], pair.reason, False)
    return list(found.values())


def calls_beside(kernels: Sequence[Unit]) -> list[Pair]:
    """Each pair of a library call and a kernel that reads or writes one of its values: Inductor
    does not consider these."""
    return [
        Pair(first, second, NOT_CONSIDERED, False)
        for second in kernels
        for first in kernels
        if (first.is_call or second.is_call) and first.written.keys() & second.read.keys()
    ]


def _homes(kernels: Sequence[Unit]) -> dict[str, int]:
    return {member: at for at, unit in enumerate(kernels) for member in unit.members}


def _home(unit: Unit, homes: dict[str, int]) -> int | None:
    """The node after fusion that has all of a unit; None where it was taken apart again."""
    found = {homes.get(member) for member in unit.members}
    return found.pop() if len(found) == 1 else None
