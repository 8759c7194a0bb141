"""Programs whose results rounding decides: a recurrence that forgets where it came from, such as a
network over time whose weights were drawn too large.

There each rounding gives other numbers, eager's too, and an element that eager's own roundings have
happened not to move may still be moved by another's. If the compiler is but one more rounding of
the program, it is exchangeable with these: as many of its elements are unexplained by them as of
one of them by the others (a permutation test; Good, "Permutation, Parametric and Bootstrap Tests of
Hypotheses", 2005). Whether it is the same program is asked where nothing is chaotic: with inputs so
small that what is fed back dies away.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

import torch

# Fewer roundings say nothing of how many elements each leaves as they are.
LEAST = 4
# A power of two, so that nothing is rounded by it.
SMALLER = 2.0**-6
# Counts are chance, too.
_SPARE = 2


def by_chance(
    off: torch.Tensor, least: torch.Tensor, moved: Sequence[torch.Tensor], margin: float
) -> bool:
    """Whether no more elements are unexplained than of eager's own roundings. `off` is how far each
    element is from eager's; below `least` it needs no explanation. `moved` is the same of each of
    eager's roundings; one of these explains what is off by up to `margin` times as much."""
    if len(moved) < LEAST:
        return False
    usual = max(_unexplained(x, least, others, margin) for x, others in _each_and_others(moved))
    return _unexplained(off, least, _largest(moved), margin) <= _SPARE * usual


def _unexplained(
    off: torch.Tensor, least: torch.Tensor, explained: torch.Tensor, margin: float
) -> int:
    return int((off > least.maximum(margin * explained)).sum())


def _each_and_others(
    moved: Sequence[torch.Tensor],
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Each, with the largest of all others at each element."""
    for i, x in enumerate(moved):
        yield x, _largest([*moved[:i], *moved[i + 1 :]])


def _largest(moved: Sequence[torch.Tensor]) -> torch.Tensor:
    return reduce(torch.maximum, moved)
