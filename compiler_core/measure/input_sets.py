"""Sets of inputs that timed calls use in turn: no call meets those of the last one, and on a GPU
none that the second-level cache still has, where sets can be enough for that."""

import copy
from collections.abc import Sequence
from typing import Any

import torch

from compiler_core.capture.captured import Captured
from compiler_core.measure import device_rates
from compiler_core.measure.runnable import Tensors

# So many as fit into so much memory.
_FEW = (2, 4)
_FEW_BYTES = 64 * 2**20
# A cache of which twice as much is in turn has nothing left of what comes next. Of inputs so small
# that more sets were needed, a cache has them in a caller's program, too.
_TIMES = 2
_MOST = 64
_FIRST_SEED = 1000


def input_sets(captured: Captured, device: str) -> tuple[list[Tensors], str]:
    """The sets, made before the first sample, and what is said of them."""
    cache = device_rates.cache_bytes(device)
    drawn: list[Tensors] = [captured.fresh(_FIRST_SEED + i) for i in range(_few(captured))]
    return beyond(drawn, cache) if cache else (drawn, f"{len(drawn)} sets of fresh inputs")


def _few(captured: Captured) -> int:
    if captured.session is not None:  # each may have to be compiled for
        return _FEW[0]
    nbytes = sum(x.type.at_hint().bytes for g in captured.graphs for x in g.graph.inputs)
    least, most = _FEW
    return max(least, min(most, _FEW_BYTES // max(1, nbytes)))


def beyond(drawn: Sequence[Tensors], cache: int) -> tuple[list[Tensors], str]:
    """As many copies of the sets that were `drawn` as a second-level cache of so many bytes needs;
    copies, since drawing takes longer than copying."""
    kept = _kept(drawn)
    own = sum(_bytes(x) for x in drawn[0] if _place(x) not in kept)
    same = sum({_place(x): _bytes(x) for x in drawn[0] if _place(x) in kept}.values())
    count = _enough(own, _TIMES * cache - same, len(drawn))
    sets = [*drawn, *(_copied(drawn[i % len(drawn)], kept) for i in range(len(drawn), count))]
    return sets, _said(len(sets), len(sets) * own + same, cache)


def _enough(own: int, wanted: int, few: int) -> int:
    """A multiple of `few`, so that two that follow each other, the first and the last too, have
    other values."""
    count = -(-max(0, wanted) // max(1, own * few)) * few
    return max(few, count) if count <= _MOST else few


def _said(count: int, total: int, cache: int) -> str:
    """What a cache can have of the sets."""
    cache_text = f"the second-level cache of {cache / 2**20:.3g} MiB"
    how = (
        f"twice {cache_text} or more" if total >= _TIMES * cache
        else f"more than {cache_text}" if total > cache
        else f"which {cache_text} holds"
    )  # fmt: skip
    return f"{count} sets of fresh inputs in turn, {total / 2**20:.3g} MiB, {how}"


def _kept(drawn: Sequence[Tensors]) -> set[Any]:
    """The places of what is the same in every set: weights, integers."""
    first, second = ({_place(x) for x in each} for each in drawn[:2])
    return first & second


def _copied(given: Tensors, kept: set[Any]) -> Tensors:
    memo = {id(x): x for x in given if _place(x) in kept}
    return tuple(copy.deepcopy(x, memo) for x in given)


def _place(x: Any) -> Any:
    """What tells the memory of arrays that are there at the same time apart."""
    return x.untyped_storage().data_ptr() if isinstance(x, torch.Tensor) else id(x)


def _bytes(x: Any) -> int:
    return int(getattr(x, "nbytes", 0))
