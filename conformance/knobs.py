"""The compiler's free choices, made by chance: which passes run, which pairs are fused, which
candidate of each launch is chosen. None of them may change what a program computes."""

import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from compiler_core.fuse import groups
from compiler_core.fuse.clusters import Cluster
from compiler_core.kernel.refusal import FusionRefusal
from compiler_core.passes.dots import OrderMatmuls
from compiler_core.passes.order import PASSES
from compiler_core.passes.random_bits import ExpandRandomBits
from compiler_core.pipeline import one_graph, stages
from compiler_core.schedule import choice

# No kernel draws random bits, and no product reads dimensions in any order: these passes are what
# says how both are computed.
_NEEDED = (ExpandRandomBits, OrderMatmuls)


@contextmanager
def turned(seed: int | None) -> Iterator[None]:
    """Within the context, choices are those of the seed; the compiler's own without one."""
    if seed is None:
        yield
        return
    with ExitStack() as stack:
        for patch in (*_passes(seed), _fusion(seed), *_candidates(seed)):
            stack.enter_context(patch)
        yield


def _chance(seed: int, *what: object) -> random.Random:
    """The choices about one thing, in whatever order things are asked for."""
    return random.Random(f"{seed} {what}")


def _passes(seed: int) -> Iterator[Any]:
    """Some of the passes, in their order."""
    some = tuple(
        p for p in PASSES if isinstance(p, _NEEDED) or _chance(seed, p.name).random() < 0.5
    )
    for module in (stages, one_graph):
        yield mock.patch.object(module, "PASSES", some)


def _fusion(seed: int) -> Any:
    """Some groups of more than one captured operation are none, whatever that costs: pairs, rows
    that are joined at once, and what is one group from the start."""
    lowered, often = groups._Fusion._lowered, _chance(seed, "fusion").choice((0.0, 0.3, 1.0))

    def some(self: Any, cluster: Cluster, *most: Any) -> Any:
        members = sorted(x.id for x in cluster.members)
        forbidden = len(members) > 1 and _chance(seed, *members).random() < often
        return FusionRefusal("forbidden by chance") if forbidden else lowered(self, cluster, *most)

    return mock.patch.object(groups._Fusion, "_lowered", some)


def _candidates(seed: int) -> Iterator[Any]:
    """Any candidate that is possible, instead of the cheapest."""

    def any_of(options: Iterable[choice.Option[Any]]) -> Any:
        known = list(options)
        possible = [o for o in known if o.result is not None and o.candidate.cost_us is not None]
        if not possible:
            return cheapest(known)
        best = _chance(seed, *(o.candidate.strategy for o in known)).choice(possible)
        return best.result, tuple(choice._marked(o.candidate, o is best) for o in known)

    cheapest = choice.cheapest
    for name, module in list(sys.modules.items()):
        if name.startswith("compiler_core") and getattr(module, "cheapest", None) is cheapest:
            yield mock.patch.object(module, "cheapest", any_of)
