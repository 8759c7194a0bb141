"""Which strategy each kind of kernel gets, on a CPU and on a GPU, and the reason it gives."""

import pytest

from compiler_core.ir.parse import parse
from compiler_core.ir.types import F32
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.processors import AMD, INTEL
from compiler_core.schedule.targets import TARGETS, CpuTarget, resolve
from tests.compiler_core.codegen.c.graphs import kernels_of
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.codegen.tuples import (
    extremum,
    of_floats,
    running,
    running_extremum,
    scan_of_a_scan,
)

# What: the kernel, whether threads share it, the strategy, and words of its reason.
ON_CPU = {
    "elementwise": (kernels.bias_gelu(512, 1024), True, "flat", "no reduction"),
    "too small to wake a thread": (kernels.bias_gelu(4, 8), False, "flat", "no reduction"),
    "transpose": (kernels.transpose_add(512, 1024), True, "flat", "read across: in tiles"),
    "rows": (kernels.softmax(512, 1000), True, "rows", "v2 kept in cache"),
    "rows longer than the cache": (kernels.softmax(64, 100_000), True, "rows", "v2 kept in y"),
    "few rows": (kernels.softmax(2, 100_000), True, "split", "2 rows are too few"),
    "short few rows": (kernels.softmax(2, 100), False, "rows", "a row at a time"),
    "columns": (kernels.column_sum(4096, 4096), True, "columns", "blocks of 512"),
    "few columns": (kernels.column_sum(100_000, 200), True, "columns", "blocks of 50"),
    "rows of three": (kernels.reduction("add", F32, 1 << 18, 3), True, "columns", "neighbouring"),
    "rows of a table": (kernels.embedded_sum(512, 32, 64, 9999), True, "columns", "of 64 neigh"),
    "all": (kernels.mean(1 << 20), True, "split", "one row is too few"),
    "arg max of rows": (extremum("argmax", "row", 512, 1000), True, "rows", "a row at a time"),
    "arg max of all": (extremum("argmax", "full", 999, 1001), True, "split", "one row is"),
    "scan of rows": (running("add", "row", 512, 1000), True, "rows", "a row at a time"),
    "scan of a long row": (running("add", "row", 1, 1 << 20), True, "split", "scanned then"),
    "scan down": (running("add", "column", 512, 1000), True, "columns", "neighbouring columns"),
    "scan of a scan": (scan_of_a_scan(1, 1 << 20), False, "rows", "a row at a time"),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_CPU)
def test_on_a_cpu(name):
    kernel, threads, strategy, words = ON_CPU[name]
    schedule, _ = choose_cpu(kernel)
    assert (schedule.strategy, schedule.threads) == (strategy, threads)
    assert words in schedule.reason


def past_caches(kernel, rates=INTEL):
    schedule, candidates = choose_cpu(kernel, CpuTarget(rates=rates))
    (chosen,) = (c for c in candidates if c.chosen)
    assert bool(schedule.streamed) == ("written past them" in chosen.reason)
    return schedule.streamed


def test_a_large_output_that_waits_for_memory_is_written_past_the_caches():
    assert past_caches(kernels.transpose_add(1024, 1024)) == ("y",)
    assert past_caches(kernels.softmax(1024, 1024)) == ("y",)
    assert past_caches(kernels.transpose_add(1024, 512)) == ()
    assert past_caches(kernels.bias_gelu(4096, 1024)) == ()
    assert past_caches(kernels.transpose_add(1024, 1024), AMD) == ()


SHARES = """\
graph f[{symbol} = 5 in 2..{most}](%0: f32[{rows},{length}]) {{
  %1 = reduce(%0) {{monoid = maximum, dimensions = (1)}} : f32[{rows}]
  %2 = broadcast_in_dim(%1) {{dimensions = (0)}} : f32[{rows},{length}]
  %3 = subtract(%0, %2) : f32[{rows},{length}]
  %4 = exponential(%3) : f32[{rows},{length}]
  %5 = reduce(%4) {{monoid = add, dimensions = (1)}} : f32[{rows}]
  return %3, %5
}}
"""


@pytest.mark.parametrize(
    ("symbol", "most", "rows", "length", "strategy"),
    [
        # However few rows the first call has, another may have many, each of which would be shared.
        ("B", "", "B", 20, "rows"),
        ("B", "", "B", 1 << 20, "rows"),
        ("B", 7, "B", 1 << 20, "split"),
        # Parts of one element, each with a sum of its own.
        ("T", "", 3, "T", "rows"),
    ],
)
def test_threads_share_each_row_where_rows_are_few_at_every_call(
    symbol, most, rows, length, strategy
):
    text = SHARES.format(symbol=symbol, most=most, rows=rows, length=length)
    (kernel,) = kernels_of(parse(text))
    schedule, candidates = choose_cpu(kernel)
    assert schedule.strategy == strategy
    if rows == "B" and not most:
        (refused,) = (c for c in candidates if c.strategy == "split")
        assert refused.reason == "how many rows there are is known at the call only"


FROM_A_SMALL_CALL = {
    "rows with a bias": (
        """graph f[B = 5 in 2..](%0: f32[B,48], %1: f32[48]) {
          %2 = broadcast_in_dim(%1) {dimensions = (1)} : f32[B,48]
          %3 = add(%0, %2) : f32[B,48]
          return %3
        }""",
        lambda way: [nest.shared for nest in way.nests] == [("i0",)],
    ),
    "short rows with a bias": (
        """graph f[T = 3 in 2..](%0: f32[48,T], %1: f32[48]) {
          %2 = broadcast_in_dim(%1) {dimensions = (0)} : f32[48,T]
          %3 = add(%0, %2) : f32[48,T]
          return %3
        }""",
        lambda way: all(part.simd for nest in way.nests for part in nest.parts),
    ),
    "sums of short rows": (
        """graph f[T = 3 in 2..](%0: f32[48,T]) {
          %1 = reduce(%0) {monoid = add, dimensions = (1)} : f32[48]
          return %1
        }""",
        lambda way: (way.inner[0].how, way.inner[0].sum_block) == ("simd", 256),
    ),
    "sums of a few columns": (
        """graph f[N = 5 in 2..](%0: f32[100,N]) {
          %1 = reduce(%0) {monoid = add, dimensions = (0)} : f32[N]
          return %1
        }""",
        lambda way: (way.strategy, way.block) == ("columns", 64),
    ),
}


@pytest.mark.parametrize("name", FROM_A_SMALL_CALL)
def test_loops_suit_larger_calls_than_the_one_that_they_were_compiled_for(name):
    text, holds = FROM_A_SMALL_CALL[name]
    (kernel,) = kernels_of(parse(text))
    way, _ = choose_cpu(kernel)
    assert holds(way), way


def test_a_scan_of_a_scan_is_not_shared_and_says_why():
    _, candidates = choose_cpu(scan_of_a_scan(1, 1 << 20))
    (refused,) = (c for c in candidates if c.strategy == "split")
    assert refused.cost_us is None and "one element after the other" in refused.reason


# What: the kernel, the loop of each launch, and words of the first one's reason.
ON_GPU = {
    "elementwise": (kernels.bias_gelu(4096, 1024), "flat", "a program computes 1024"),
    "transpose": (kernels.transpose_add(2048, 4096), "tiled", "tiles of both"),
    "short rows": (kernels.softmax(65536, 64), "persistent", "32 rows of 64 in registers"),
    "rows": (kernels.softmax(4096, 5000), "persistent", "each element is loaded once"),
    "rows too long to hold": (kernels.softmax(4096, 100_000), "looped", "2 passes instead of 3"),
    "norm of such rows": (kernels.layer_norm(4096, 100_000), "looped", "2 passes instead of 3"),
    "columns": (kernels.column_sum(100, 4096), "looped", "neighbouring columns"),
    "short columns": (kernels.column_sum(8, 100_000), "looped", "the 8 rows of its own"),
    "columns in registers": (kernels.softmax_down(300, 4096), "persistent", "whole columns"),
    "all": (kernels.mean(4_000_000), "persistent persistent", "in registers"),
    "one long row": (kernels.softmax(1, 1 << 20), "persistent persistent flat", "2 passes instead"),
    "arg max": (extremum("argmax", "row", 4096, 100_000), "looped", "in blocks of 4096"),
    "arg max of all": (extremum("argmax", "full", 4096, 4096), "looped persistent", "in blocks"),
    "variance": (of_floats("welford", "row", 4096, 100_000), "looped", "in blocks"),
    "scan": (running("add", "row", 4096, 5000), "persistent", "in registers"),
    "scan of long rows": (running("add", "row", 4096, 100_000), "looped", "in blocks of 4096"),
    "place in long rows": (
        running_extremum("argmax_last", "row", 4096, 100_000), "looped", "in blocks of 512",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_GPU)
def test_on_a_gpu(name):
    kernel, loops, words = ON_GPU[name]
    parts, candidates = choose_gpu(kernel, resolve("sm_90"))
    assert " ".join(part.loop for part in parts) == loops
    assert words in parts[0].reason
    (chosen,) = (c for c in candidates if c.chosen)
    assert {part.strategy for part in parts} == {chosen.strategy}


NOT_HELD = {
    "a row": (kernels.softmax(4096, 100_000), "512 KiB, of 64 that a program may hold"),
    "a tile of columns": (kernels.column_sum(100, 4096), "elements, of 2048 that a tile has"),
    "own columns": (kernels.column_sum(8, 100_000), "add up what each of them sums alone"),
}


@pytest.mark.parametrize("name", NOT_HELD)
def test_why_a_program_does_not_hold_a_whole_reduction(name):
    kernel, words = NOT_HELD[name]
    _, candidates = choose_gpu(kernel, resolve("sm_90"))
    assert words in next(c.reason for c in candidates if c.strategy == "persistent")


def test_what_has_nothing_to_share_is_not_split():
    _, candidates = choose_gpu(kernels.bias_gelu(4096, 1024), resolve("sm_90"))
    assert [c.strategy for c in candidates] == ["flat"]


def test_each_launch_of_a_split_says_how_it_visits_its_points():
    parts, _ = choose_gpu(kernels.softmax(1, 1 << 20), resolve("sm_90"))
    assert {part.strategy for part in parts} == {"split"}
    assert [part.parameters["loop"] for part in parts] == ["persistent", "persistent", "flat"]


def test_a_row_in_registers_keeps_its_two_passes():
    """Nothing is read again, and two passes are the more exact."""
    parts, candidates = choose_gpu(kernels.layer_norm(4096, 5000), resolve("sm_90"))
    assert not any("passes instead of" in c.reason for c in candidates)
    assert [e.monoid for e in parts[0].kernel.reductions.values()] == ["add", "add"]


def test_fewer_walks_are_a_candidate_with_its_cost():
    _, candidates = choose_gpu(kernels.softmax(4096, 100_000), resolve("sm_90"))
    by_passes = {
        "passes instead of" in c.reason: c.cost_us for c in candidates if c.strategy == "looped"
    }
    assert by_passes[True] / by_passes[False] == pytest.approx(2 / 3, rel=0.01)


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        (
            kernels.softmax(4096, 100_000),
            "2 passes instead of 3: a second exponential for each element, and a sum that is not "
            "in f64",
        ),
        (
            kernels.layer_norm(4096, 100),
            "2 passes instead of 3: a running mean has not the digits of two passes",
        ),
    ],
    ids=["softmax", "norm of short rows"],
)
def test_fewer_walks_are_a_candidate_that_c_does_not_take(kernel, why):
    _, candidates = choose_cpu(kernel)
    (chosen,) = (c for c in candidates if c.chosen)
    left = candidates[-1]
    assert chosen.chosen and not left.chosen and left.reason == why
    assert left.cost_us is None or left.cost_us > chosen.cost_us


@pytest.mark.parametrize(("length", "online"), [(100_000, False), (4_000_000, True)])
def test_rows_longer_than_the_cache_have_one_walk_for_their_mean_and_variance(length, online):
    schedule, candidates = choose_cpu(kernels.layer_norm(16, length))
    (chosen,) = (c for c in candidates if c.chosen)
    assert schedule.online == online == ("2 passes instead of 3" in chosen.reason)
    twice, once = (
        min(c.cost_us for c in candidates if c.cost_us and ("instead of" in c.reason) == fewer)
        for fewer in (False, True)
    )
    assert once < twice if online else once == twice


@pytest.mark.parametrize("target", TARGETS)
def test_a_schedule_depends_on_its_kernel_and_target_alone(target):
    kernel = kernels.softmax(64, 100_000)
    assert choose_gpu(kernel, resolve(target)) == choose_gpu(kernel, resolve(target))
    assert choose_cpu(kernel) == choose_cpu(kernel)


@pytest.mark.parametrize(
    ("rows", "columns", "ahead"),
    [(4096, 4096, ("v0",)), (4096, 200, ()), (8, 4096, ())],
    ids=["far apart", "one after the other", "few"],
)
def test_rows_that_no_processor_foresees_are_asked_for_before(rows, columns, ahead):
    schedule, _ = choose_cpu(kernels.column_sum(rows, columns))
    assert schedule.strategy == "columns" and schedule.inner[0].ahead == ahead
    assert schedule.parameters.get("ahead", 0) == len(ahead)


@pytest.mark.parametrize(
    ("terms", "words", "ahead"), [(32, 9999, ("v2",)), (32, 99, ()), (4, 9999, ())]
)
def test_rows_of_a_large_table_are_asked_for_where_their_places_are_known(terms, words, ahead):
    schedule, _ = choose_cpu(kernels.embedded_sum(512, terms, 64, words))
    assert schedule.strategy == "columns" and schedule.inner[0].ahead == ahead


@pytest.mark.parametrize(("columns", "width"), [(1000, 64), (512, 32), (256, 16), (20, 16), (9, 0)])
def test_lanes_that_are_combined_one_by_one_have_a_dozen_elements_each(columns, width):
    schedule, _ = choose_cpu(extremum("argmax", "row", 1000, columns))
    assert schedule.inner[0].width == width
