"""Each decision of a schedule is one value of it: with another, the text is another, and what it
computes is the same."""

from dataclasses import replace

import numpy as np
import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.types import BF16, BOOL, F32
from compiler_core.kernel.effects import Phase
from compiler_core.runtime import cpu
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.cpu.schedule import Inner, Tile
from tests.compiler_core.codegen.c.graphs import from_torch, kernels_of, run, tensor_type, to_torch
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.codegen.tuples import extremum, of_floats, running, running_extremum
from tests.compiler_core.plans import of_kernel


def inner(**given):
    """A change of the loops over the reduce axes in every phase."""
    return lambda s: replace(s, inner=tuple(replace(x, **given) for x in s.inner))


def loops(**given):
    """A change of every loop over the last axis."""
    return lambda s: replace(
        s,
        nests=tuple(
            replace(n, parts=tuple(replace(part, **given) for part in n.parts)) for n in s.nests
        ),
    )


def shared(*axes):
    return lambda s: replace(s, threads=True, nests=tuple(replace(n, shared=axes) for n in s.nests))


def split_by(axis):
    return lambda s: replace(s, shared=axis)


def places(rows, columns):
    """The largest so far and its place, and nothing beside."""
    kernel = running_extremum("argmax_last", "row", rows, columns)
    (scan, *stores, _), _ = (phase.effects for phase in kernel.phases)
    buffers = (b for b in kernel.buffers if b.name != "total")
    return replace(kernel, phases=(Phase((scan, *stores)),), buffers=tuple(buffers))


def parts(rows, columns):
    """Two numbers of each place, side by side."""
    b = Builder()
    x, y = (b.parameter(tensor_type((rows, columns, 1))) for _ in range(2))
    both = [b.node("multiply", x, y), b.node("subtract", x, y)]
    z = b.broadcast_in_dim(b.parameter(tensor_type((columns,))), (rows, columns, 2), (1,))
    together = b.node("multiply", b.node("concatenate", *both, dimension=2), z)
    (kernel,) = kernels_of(b.graph("parts", [together]))
    return kernel


def middle_softmax(*shape):
    """Softmax along the axis in the middle of three."""
    b = Builder()
    x = b.parameter(tensor_type(shape))

    def along(value, monoid):
        row = b.node("reduce", value, monoid=monoid, dimensions=(1,))
        return b.broadcast_in_dim(row, shape, (0, 2))

    e = b.node("exponential", b.node("subtract", x, along(x, "maximum")))
    (kernel,) = kernels_of(b.graph("softmax", [b.node("divide", e, along(e, "add"))]))
    return kernel


def decayed(*shape):
    """Each element divided by one less a power of a number that is in memory."""
    b = Builder()
    x, step = b.parameter(tensor_type(shape)), b.parameter(tensor_type(()))
    left = b.node("subtract", b.scalar(1.0, F32, ()), b.node("power", b.scalar(0.9, F32, ()), step))
    (kernel,) = kernels_of(
        b.graph("decayed", [b.node("divide", x, b.broadcast_in_dim(left, shape, ()))])
    )
    return kernel


IN_ORDER = inner(how="in order", width=0)
# What: the kernel, the change, and what the text then says more often or more seldom.
CHANGES = {
    "no vectors": (kernels.bias_gelu(9, 40), loops(simd=False), "omp simd"),
    "a loop over a short axis": (
        parts(9, 40),
        lambda s: replace(s, nests=tuple(replace(n, written_out=False) for n in s.nests)),
        "int i2 = 1;\n",
    ),
    "nothing kept of columns": (
        middle_softmax(9, 20, 40), lambda s: replace(s, keep=()), "= exp_f32(",
    ),
    "nothing kept of a few columns": (
        middle_softmax(9, 4, 40), lambda s: replace(s, keep=()), "= exp_f32(",
    ),
    "few columns in a loop around the block": (middle_softmax(9, 4, 40), IN_ORDER, "_acc["),
    "threads share the outer axis": (
        kernels.bias_gelu(9, 40), shared("i0"), "parallel for num_threads",
    ),
    "threads share the last axis": (
        kernels.bias_gelu(9, 40), shared("i1"), "parallel for simd num_threads",
    ),
    "other tiles": (
        kernels.transpose_add(70, 130),
        lambda s: replace(s, tile=Tile(s.tile.axis, 32, 48)),
        "i1_tile += 48",
    ),
    "no turning": (
        kernels.transpose_add(70, 130),
        lambda s: replace(s, tile=replace(s.tile, turned=())),
        "turn(&",
    ),
    "tiles past the caches": (
        kernels.transpose_add(70, 130), lambda s: replace(s, streamed=("y",)), "stream(&",
    ),
    "rows past the caches": (
        kernels.softmax(9, 1001), lambda s: replace(s, streamed=("y",)), "stream(&",
    ),
    "all past the caches": (
        kernels.bias_gelu(9, 400), lambda s: replace(s, streamed=("y",)), "stream(&",
    ),
    "shorter blocks past the caches": (
        kernels.bias_gelu(9, 400),
        lambda s: replace(s, streamed=("y",), stream_block=64),
        "block += 64",
    ),
    "powers in the loops": (decayed(9, 40), lambda s: replace(s, before=0), "\n    float v4"),
    "no tiles": (
        kernels.transpose_add(70, 130), lambda s: replace(s, tile=None), "i1_tile",
    ),
    "shorter f32 sums of rows": (kernels.mean(20_000), inner(sum_block=512), "block += 512"),
    "shorter f32 sums of columns": (
        kernels.column_sum(900, 70), inner(sum_block=64), "run += 64",
    ),
    "the other axis in parts": (
        extremum("argmax", "full", 300, 301), split_by("r1"), "block = low",
    ),
    "fewer lanes": (extremum("argmin", "row", 9, 1001), inner(width=16), "_lane[16]"),
    "no lanes": (extremum("argmin", "row", 9, 1001), IN_ORDER, "for (int r0 = 0;"),
    "shorter blocks of moments": (
        of_floats("welford", "row", 9, 1001), inner(width=256), "block += 256",
    ),
    "moments in lanes": (
        of_floats("welford", "row", 9, 1001), inner(how="lanes", width=32), "_lane[32]",
    ),
    "a scan in order": (running("add", "row", 9, 300), IN_ORDER, "_all += "),
    "shorter searched blocks": (
        places(9, 1001), inner(width=32), "block += 32",
    ),
    "a search in order": (
        places(9, 1001), IN_ORDER, "for (int r0 = 0;",
    ),
}  # fmt: skip


def changed(name):
    """The program as it is chosen, and with one decision changed."""
    kernel, change, _ = CHANGES[name]
    plan = of_kernel(kernel)
    (launch,) = plan.launches
    return plan, replace(plan, launches=(replace(launch, schedule=change(launch.schedule)),))


@pytest.mark.parametrize("name", CHANGES)
def test_the_printer_reads_each_decision(name):
    plan, other = changed(name)
    before, after = (c.emit(x).source.text for x in (plan, other))
    words = CHANGES[name][2]
    assert before.count(words) != after.count(words)


@pytest.mark.parametrize("name", CHANGES)
def test_the_report_shows_each_decision(name):
    own, other = (dict(x.launches[0].schedule.parameters) for x in changed(name))
    assert own != other


@pytest.mark.cpu
@pytest.mark.parametrize("name", CHANGES)
def test_another_decision_computes_the_same(name):
    kernel, *_ = CHANGES[name]
    rng = np.random.default_rng(5)
    shapes = [b.type.shape for b in kernel.inputs]
    given = [to_torch(rng.standard_normal(shape).astype(np.float32)) for shape in shapes]
    first, second = ([from_torch(y) for y in cpu.build(p)(given)] for p in changed(name))
    for x, y in zip(first, second, strict=True):
        # f32 sums of 900 numbers, in another order.
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-4)


def test_what_was_decided_within_a_strategy_says_why():
    _, candidates = choose_cpu(places(9, 1001))
    (chosen,) = (x for x in candidates if x.chosen)
    assert "blocks of 64 are searched before" in chosen.reason
    assert chosen.parameters["searched"] == 64


def pieces(down, across, steps=0):
    """Matrices side by side, in rows that stand one above the other."""
    b = Builder()
    each = [[b.parameter(tensor_type((9, 10))) for _ in range(across)] for _ in range(down)]
    rows = [b.node("concatenate", *row, dimension=1) for row in each]
    whole = b.node("concatenate", *rows, dimension=0)
    for _ in range(steps):
        whole = b.node("sine", whole)
    (kernel,) = kernels_of(b.graph("pieces", [whole]))
    return kernel


@pytest.mark.parametrize(
    ("down", "steps", "loops", "masked"),
    [(3, 0, 9, ""), (3, 20, 9, ""), (4, 0, 12, ""), (7, 0, 21, ""), (4, 20, 3, "i0")],
)
def test_loops_are_split_by_masks_unless_too_much_would_be_written(down, steps, loops, masked):
    _, candidates = choose_cpu(pieces(down, 3, steps))
    (chosen,) = (x for x in candidates if x.chosen)
    assert (chosen.parameters["loops"], chosen.parameters.get("masked", "")) == (loops, masked)
    assert (f"masks stay along {masked}" in chosen.reason) == bool(masked)


MANY = [(0, F32, 64), (1, F32, 17), (1, BF16, 64), (0, BOOL, 20)]


@pytest.mark.cpu
@pytest.mark.parametrize(("along", "dtype", "count"), MANY)
def test_of_many_parts_put_together_each_loop_reads_one(along, dtype, count):
    """Slices of one matrix of different lengths, backwards; and of each fourth a matrix beside."""
    b, shape = Builder(), [7, 7]
    shape[along] = 4 * count
    x, y = (b.parameter(tensor_type(shape, dtype)) for _ in range(2))
    ends = [(4 * i, 4 * i + 1 + i % 4) for i in reversed(range(count))]
    parts = [
        b.node(
            "slice", y if low % 16 == 0 else x, strides=(1, 1),
            start=tuple(low * (d == along) for d in range(2)),
            limit=tuple(high if d == along else 7 for d in range(2)),
        )
        for low, high in ends
    ]  # fmt: skip
    graph = b.graph("many", [b.node("concatenate", *parts, dimension=along)])
    (kernel,) = kernels_of(graph)
    schedule, _ = choose_cpu(kernel)
    assert len(schedule.nests) * len(schedule.nests[0].parts) == count
    rng = np.random.default_rng(3)
    given = [rng.integers(0, 2, shape).astype(NUMPY[dtype.name]) for _ in range(2)]
    (found,) = run(graph, given)
    np.testing.assert_array_equal(found, eval_numpy.evaluate(graph, given)[0])


def test_a_phase_that_threads_share_says_how_its_parts_are_combined_first():
    schedule, _ = choose_cpu(running("add", "row", 1, 100_001))
    assert [x.parts for x in schedule.inner] == [Inner("simd", 0, 256)]


@pytest.mark.cpu
def test_rows_of_a_large_table_are_asked_for_before_they_are_added():
    plan = of_kernel(kernels.embedded_sum(64, 19, 70, 2000))
    text = c.emit(plan).source.text
    assert text.index("int later = r0 + 4 < 19 ? r0 + 4 : r0;") < text.index("&table[70 * v1 + i1]")
    rng = np.random.default_rng(5)
    words = rng.integers(0, 2000, (64, 19), np.int32)
    table = rng.standard_normal((2000, 70)).astype(np.float32)
    (found,) = cpu.build(plan)([to_torch(words), to_torch(table)])
    np.testing.assert_allclose(from_torch(found), table[words].sum(1), 1e-5, 1e-5)


def turned_round(shape, dimension):
    """Each element and the one before it, the first's being the last."""
    b = Builder()
    x, axis = b.parameter(tensor_type(shape)), range(len(shape))
    ends = [[n - 1 if d == dimension else 0 for d, n in enumerate(shape)], [0 for _ in shape]]
    stop = [n - (d == dimension) for d, n in enumerate(shape)]
    last, rest = (
        b.node("slice", x, start=tuple(at), limit=tuple(limit), strides=tuple(1 for _ in axis))
        for at, limit in zip(ends, (shape, stop), strict=True)
    )
    before = b.node("concatenate", last, rest, dimension=dimension)
    (kernel,) = kernels_of(b.graph("turned_round", [b.node("add", x, before)]))
    return kernel


EDGES = [((1 << 18,), 0), ((512, 512), 0), ((512, 512), 1), ((2, 1 << 17), 1)]


@pytest.mark.cpu
@pytest.mark.parametrize(("shape", "dimension"), EDGES)
def test_one_thread_runs_the_edges_beside_what_threads_share(shape, dimension):
    """Waking the others for an element or a row takes longer than these."""
    kernel = turned_round(shape, dimension)
    plan = of_kernel(kernel)
    assert plan.launches[0].schedule.threads
    assert c.emit(plan).source.text.count("#pragma omp parallel for") == 1
    x = np.random.default_rng(6).standard_normal(shape).astype(np.float32)
    (y,) = cpu.build(plan)([to_torch(x)])
    np.testing.assert_array_equal(from_torch(y), x + np.roll(x, 1, dimension))


def test_what_is_the_same_at_every_point_costs_no_threads():
    """That one thread computes it once is less than to wake another."""
    assert not of_kernel(decayed(128)).launches[0].schedule.threads


@pytest.mark.cpu
@pytest.mark.parametrize("shape", [(128,), (12, 16), (100, 2)])
def test_what_is_the_same_at_every_point_is_computed_before_all_loops(shape):
    plan = of_kernel(decayed(*shape))
    text = c.emit(plan).source.text
    text = text[text.index(f"static void {plan.launches[0].step.name}") :]
    assert text.index("powf(") < text.index("for (")
    x = np.random.default_rng(6).standard_normal(shape).astype(np.float32)
    (y,) = cpu.build(plan)([to_torch(x), to_torch(np.float32(3))])
    np.testing.assert_allclose(from_torch(y), x / (1 - 0.9**3), rtol=1e-6)


BEHIND_A_REDUCTION = """\
graph f(%0: i32[1,4]) {
  %1 = iota() {dimension = 0} : i32[1,4]
  %2, %3 = reduce(%0, %1) {dimensions = (0), monoid = argmin} : i32[4], i32[4]
  %4 = convert(%3) : f32[4]
  %5 = tanh(%4) : f32[4]
  return %5
}
"""


@pytest.mark.cpu
def test_what_hangs_on_a_reduction_is_not_the_same_at_every_point():
    x = np.array([[-2, -4, 10, 8]], np.int32)
    assert not run(parse(BEHIND_A_REDUCTION), [x])[0].any()
