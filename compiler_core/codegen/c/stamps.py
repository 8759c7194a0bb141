"""Launches that record when they begin and end; a program is printed so only for a timeline.

    { const long begin_of_stamp = now(); k0_tanh(b0, b1); stamp(0, begin_of_stamp); }

A stamp is three numbers: that of the launch in the order of the plan, and its begin and end in
nanoseconds of CLOCK_MONOTONIC. The caller provides the array `stamps`, with room for `stamp_room`
of them; further ones are counted and not kept. Launches of several threads may write at once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from compiler_core.codegen.writer import Writer

HELPER = f"""\
struct instant {{ long seconds, nanoseconds; }};
extern int clock_gettime(int, struct instant *);
long *stamps, stamp_count, stamp_room;
static long now(void) {{
    struct instant t;
    clock_gettime({time.CLOCK_MONOTONIC}, &t);
    return t.seconds * 1000000000 + t.nanoseconds;
}}
static void stamp(long launch, long begin) {{
    long number = __atomic_fetch_add(&stamp_count, 1, __ATOMIC_RELAXED), end = now();
    if (number >= stamp_room) return;
    long *at = stamps + 3 * number;
    at[0] = launch, at[1] = begin, at[2] = end;
}}"""


@contextmanager
def stamped(w: Writer, number: int | None) -> Iterator[None]:
    """Context in which a launch is called; a launch without a number gets no stamp."""
    if number is None:
        yield
        return
    w.line("{ const long begin_of_stamp = now();")
    yield
    w.line(f"stamp({number}, begin_of_stamp); }}")
