"""What chance decides instead of the compiler."""

import pytest

from compiler_core.backends.registry import running
from compiler_core.fuse.groups import fuse
from compiler_core.ir.parse import parse
from compiler_core.plan.build import values_of
from conformance import knobs

pytestmark = pytest.mark.cpu

CHAIN = parse(
    """graph g(%0: f32[64,64]) {
  %1 = tanh(%0) : f32[64,64]
  %2 = exponential(%1) : f32[64,64]
  %3 = negate(%2) : f32[64,64]
  %4 = abs(%3) : f32[64,64]
  return %4
}
"""
)


def sizes(seed: int | None) -> list[int]:
    with knobs.turned(seed):
        return sorted(len(g.members) for g in fuse(values_of(CHAIN), running("cpu").model).groups)


def seed_of(often: float) -> int:
    return next(s for s in range(99) if knobs._chance(s, "fusion").choice((0.0, 0.3, 1.0)) == often)


def test_without_a_seed_choices_are_the_compilers():
    assert sizes(None) == sizes(seed_of(0.0)) == [4]


def test_no_group_is_formed_in_any_way_where_none_may_be():
    assert sizes(seed_of(1.0)) == [1, 1, 1, 1]
