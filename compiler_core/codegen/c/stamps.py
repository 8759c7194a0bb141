"""Launches that record when they begin and end; a program is printed so only for a timeline.

    { const long begin_of_stamp = now(); k0_tanh(b0, b1); stamp(0, begin_of_stamp); }

A stamp is three numbers: that of the launch in the order of the plan, and its begin and end in
nanoseconds of CLOCK_MONOTONIC. The caller provides the array `stamps`, with room for `stamp_room`
of them; further ones are counted and not kept.
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
    if (stamp_count < stamp_room) {{
        long *at = stamps + 3 * stamp_count;
        at[0] = launch, at[1] = begin, at[2] = now();
    }}
    stamp_count++;
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
