"""Non-temporal stores: results of a loop are collected block by block in an array on the stack,
which is then written to memory in whole cache lines, past the caches."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

from compiler_core.codegen.c.body import Body, affine
from compiler_core.codegen.c.types import memory_type
from compiler_core.kernel.effects import Effect, Store
from compiler_core.kernel.kernel import Axis
from compiler_core.schedule.cpu.schedule import CpuSchedule


@contextmanager
def streaming(
    body: Body,
    effects: Collection[Effect],
    schedule: CpuSchedule,
    axis: Axis,
    ends: tuple[str, str],
) -> Iterator[tuple[str, str]]:
    """Context for the loop over `axis` from ends[0] to ends[1] (C expressions). Opens a loop over
    blocks and yields the ends within a block; inside, what `effects` store to the buffers
    `schedule.streamed` goes to the block's arrays, which are written with non-temporal stores after
    it. If none of the effects is streamed, there are no blocks and `ends` is yielded."""
    stores = [e for e in effects if isinstance(e, Store) and e.buffer in schedule.streamed]
    if not stores:
        yield ends
        return
    types = {b.name: b.type.dtype for b in body.kernel.buffers}
    with _blocks(body, ends, schedule.stream_block) as (low, high, size):
        for e in stores:
            array = f"{e.buffer}_lines[{size}] __attribute__((aligned(64)))"
            body.w.line(f"{memory_type(types[e.buffer])} {array};", e.origins)
        at = axis.name if low == "0" else f"{axis.name} - {low}"
        body.streamed = {e.buffer: f"{e.buffer}_lines[{at}]" for e in stores}
        yield low, high
        body.streamed = {}
        for e in stores:
            terms = tuple((low if a == axis.name else a, s) for a, s in e.access.terms)
            first = affine(replace(e.access, terms=terms), {})
            count = f"({high} - {low}) * {types[e.buffer].bytes}"
            body.w.line(f"stream(&{e.buffer}[{first}], {e.buffer}_lines, {count});", e.origins)


@contextmanager
def _blocks(body: Body, ends: tuple[str, str], most: int) -> Iterator[tuple[str, str, int]]:
    """The ends of the loop within a block, and how many elements that has at most."""
    low, high = ends
    points = _points(low, high)
    if 0 < points <= most:
        with body.braces():
            yield low, high, points
        return
    with body.braces(f"for ({body.index} block = {low}; block < {high}; block += {most})"):
        end = f"block + {most}"
        if points % most or not points:
            body.w.line(f"{body.index} end = {end} < {high} ? {end} : {high};")
            end = "end"
        yield "block", end, most


def _points(low: str, high: str) -> int:
    """How many there are between both; 0 where that is not seen."""
    if low.isdecimal() and high.isdecimal():
        return int(high) - int(low)
    size = high.removeprefix(f"{low} + ")
    return int(size) if size.isdecimal() and size != high else 0
