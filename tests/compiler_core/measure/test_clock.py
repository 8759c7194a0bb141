"""How long something may take: by the clock, and by what it works."""

import time

import pytest

from compiler_core.measure.clock import Limit, TooLong

pytestmark = pytest.mark.null


def test_who_waits_has_not_worked() -> None:
    clock = Limit(work=0.02, most=60).begin()
    time.sleep(0.05)
    clock()
    with pytest.raises(TooLong):
        while True:
            clock()


def test_who_waits_for_long_has_no_time_left_all_the_same() -> None:
    clock = Limit(work=60, most=0.02).begin()
    time.sleep(0.05)
    with pytest.raises(TooLong):
        clock()
