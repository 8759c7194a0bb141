"""The threads of a parallel region do not stay on one processor, and have the mode of the one that
begins it."""

import ctypes
import os
import time
from collections.abc import Iterator

import pytest

from compiler_core.codegen.c import denormals
from compiler_core.runtime import gcc

PROCESSORS = os.sched_getaffinity(0)
pytestmark = [
    pytest.mark.cpu,
    pytest.mark.skipif(len(PROCESSORS) < 2, reason="needs two processors"),
]
ROUNDS = 50
TEXT = (
    denormals.HELPER
    + """
int omp_get_thread_num(void);
int sched_getcpu(void);
int sched_setaffinity(int, unsigned long, const unsigned long *);
void spread_leave(int, int);

// The second thread was last on one processor, and may be on all.
void gather(const unsigned long *one, const unsigned long *all) {
    #pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
        sched_setaffinity(0, 128, one);
        sched_setaffinity(0, 128, all);
    }
}

void where(int *at) {
    #pragma omp parallel num_threads(2)
    at[omp_get_thread_num()] = sched_getcpu();
}

long dynamic(int threads) {
    long sum = 0;
    #pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) sum += i;
    return sum;
}

void leave(int processor, int threads) { spread_leave(processor, threads); }

// Halves of the least normal number, by two threads, while denormal numbers are zeros or not.
void halves(int flush, float *found) {
    unsigned mode = flush ? flush_denormals(1) : FP_MODE();
    volatile float least = 0x1p-126f;
    #pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; i++) found[i] = least * 0.5f;
    set_fp_mode(mode, 1);
}
"""
)


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    return gcc.load(TEXT).handle


@pytest.fixture
def bound() -> Iterator[int]:
    """The processor that this thread is bound to."""
    here = min(PROCESSORS)
    os.sched_setaffinity(0, {here})
    yield here
    os.sched_setaffinity(0, PROCESSORS)


def mask(processors: set[int]) -> ctypes.Array:
    bits = sum(1 << p for p in processors)
    return (ctypes.c_ulong * 16)(*(bits >> 64 * i & 2**64 - 1 for i in range(16)))


def test_a_thread_leaves_its_processor_and_may_come_back(library, bound):
    for here in sorted(PROCESSORS)[:2]:
        assert any(_left(library, here) for _ in range(ROUNDS))


def _left(library, here: int) -> bool:
    """Whether the thread is seen elsewhere: who is at work there may have sent it back already."""
    os.sched_setaffinity(0, {here})
    os.sched_setaffinity(0, PROCESSORS)
    library.leave(here, 2)
    assert os.sched_getaffinity(0) == PROCESSORS
    return ctypes.CDLL(None).sched_getcpu() != here


def test_one_stays_where_there_are_more_threads_than_processors(library, bound):
    library.leave(bound, 2)
    assert os.sched_getaffinity(0) == {bound}


def test_threads_that_were_on_one_processor_are_apart(library, bound):
    at, apart = (ctypes.c_int * 2)(), 0
    for _ in range(ROUNDS):
        library.gather(mask({bound}), mask(PROCESSORS))
        time.sleep(0.001)
        library.where(at)
        apart += at[0] == bound != at[1]
    assert apart > ROUNDS // 2


@pytest.mark.parametrize("threads", [1, 2])
def test_a_loop_taken_one_by_one_is_whole(library, threads):
    assert library.dynamic(threads) == sum(range(1000))


def test_a_regions_threads_have_the_mode_of_who_begins_it_and_their_own_afterwards(library):
    found = (ctypes.c_float * 2)()
    for flush in (1, 0, 1, 0):
        library.halves(flush, found)
        assert [*found] == ([0.0, 0.0] if flush else [2.0**-127, 2.0**-127])
