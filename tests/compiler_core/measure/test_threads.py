"""OpenMP's threads stay on processors of their own while something is measured."""

import ctypes
import os
from collections.abc import Callable

import pytest
import torch

from compiler_core.measure.threads import _Body, _from_here, _pools, on_processors_of_their_own

PROCESSORS = os.sched_getaffinity(0)
pytestmark = pytest.mark.skipif(len(PROCESSORS) < 2, reason="one processor has no others")


@pytest.fixture
def pool() -> ctypes.CDLL:
    torch.ones(2**20).sum()
    return _pools()[0]


def places(pool: ctypes.CDLL) -> list[set[int]]:
    """Where each thread of the pool may run."""
    found: dict[int, set[int]] = {}

    def body(_: object, number: Callable[[], int] = pool.omp_get_thread_num) -> None:
        found[number()] = os.sched_getaffinity(0)

    pool.GOMP_parallel(_Body(body), None, pool.omp_get_max_threads(), 0)
    return [found[number] for number in sorted(found)]


def test_each_has_one_of_its_own_and_all_of_them_afterwards(pool):
    with on_processors_of_their_own() as told:
        bound = places(pool)
    assert told == "OpenMP's threads on a processor each"
    assert all(len(each) == 1 for each in bound)
    assert len(set.union(*bound)) == min(len(bound), len(PROCESSORS))
    assert places(pool) == [PROCESSORS] * len(bound)


def test_the_calling_thread_stays_where_it_runs():
    all_of_them = sorted(PROCESSORS)
    try:
        for here in all_of_them:
            os.sched_setaffinity(0, {here})
            assert _from_here(all_of_them)[0] == here
            assert set(_from_here(all_of_them)) == PROCESSORS
    finally:
        os.sched_setaffinity(0, PROCESSORS)


def test_they_are_free_again_where_what_is_measured_fails(pool):
    with pytest.raises(ZeroDivisionError), on_processors_of_their_own():
        _ = 1 / 0
    assert os.sched_getaffinity(0) == PROCESSORS
