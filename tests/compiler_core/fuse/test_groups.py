"""Fusion, held against text: the kernels that a graph becomes, and why there are as many."""

import time

import pytest

from compiler_core.fuse import cost, groups
from compiler_core.fuse.alone import each_alone
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.random_bits import threefry2x32
from compiler_core.ir.types import F32, U32, TensorType
from compiler_core.kernel.definitions import Definitions
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.steps import listing
from tests.compiler_core.plans import ON_CPU


def rolled(b, x, dim, cut):
    """The rows from `cut` on, then those before."""
    size = x.type.shape[dim]
    starts, limits = [0, 0], [*x.type.shape]
    first = b.node("slice", x, start=tuple(cut if d == dim else 0 for d in (0, 1)),
                   limit=tuple(limits), strides=(1, 1))  # fmt: skip
    limits[dim] = cut
    last = b.node("slice", x, start=tuple(starts), limit=tuple(limits), strides=(1, 1))
    return b.node("concatenate", first, last, dimension=dim) if 0 < cut < size else x


def neighbours(steps):
    """The sum of the four neighbours of each element, again and again."""
    b = Builder()
    x = b.parameter(TensorType(F32, (16, 16)), "x")
    for _ in range(steps):
        around = [rolled(b, x, dim, cut) for dim in (0, 1) for cut in (1, 15)]
        pairs = [b.node("add", *around[i : i + 2]) for i in (0, 2)]
        x = b.node("add", *pairs)
    return b.graph("neighbours", [x])


SOFTMAX = """
graph softmax(%0: f32[8,16,64]) {
  %1 = reduce(%0) {monoid = maximum, dimensions = (2)} : f32[8,16]
  %2 = broadcast_in_dim(%1) {dimensions = (0, 1)} : f32[8,16,64]
  %3 = subtract(%0, %2) : f32[8,16,64]
  %4 = exponential(%3) : f32[8,16,64]
  %5 = reduce(%4) {monoid = add, dimensions = (2)} : f32[8,16]
  %6 = broadcast_in_dim(%5) {dimensions = (0, 1)} : f32[8,16,64]
  %7 = divide(%4, %6) : f32[8,16,64]
  return %7
}
"""

BIAS_RELU_AFTER_MATMUL = """
graph linear(%0: f32[64,32], %1: f32[16,32], %2: f32[16]) {
  %3 = transpose(%1) {permutation = (1, 0)} : f32[32,16]
  %4 = dot_general(%0, %3) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (1), rhs_contract = (0)} : f32[64,16]
  %5 = broadcast_in_dim(%2) {dimensions = (1)} : f32[64,16]
  %6 = add(%4, %5) : f32[64,16]
  %7 = constant() {value = 0.0} : f32[64,16]
  %8 = maximum(%6, %7) : f32[64,16]
  return %8
}
"""

MSE_GRADIENT = """
graph mse(%0: f32[512,64], %1: f32[512,64]) {
  %2 = subtract(%0, %1) : f32[512,64]
  %3 = multiply(%2, %2) : f32[512,64]
  %4 = reduce(%3) {monoid = add, dimensions = (0, 1)} : f32[]
  %5 = reduce(%2) {monoid = add, dimensions = (0)} : f32[64]
  return %4, %2, %5
}
"""

TRANSPOSED_OUTPUT = """
graph both(%0: f32[32,48]) {
  %1 = exponential(%0) : f32[32,48]
  %2 = transpose(%1) {permutation = (1, 0)} : f32[48,32]
  return %1, %2
}
"""

CONCATENATED = """
graph cat(%0: f32[4,8], %1: f32[4,6]) {
  %2 = negate(%1) : f32[4,6]
  %3 = concatenate(%0, %2) {dimension = 1} : f32[4,14]
  %4 = tanh(%3) : f32[4,14]
  return %4
}
"""

NORMALISED_BY_TOTAL = """
graph share(%0: f32[1024,64]) {
  %1 = reduce(%0) {monoid = add, dimensions = (0, 1)} : f32[]
  %2 = broadcast_in_dim(%1) {dimensions = ()} : f32[1024,64]
  %3 = divide(%0, %2) : f32[1024,64]
  return %3
}
"""

SMALL_INTO_LARGE = """
graph scale(%0: f32[64], %1: f32[65536,64]) {
  %2 = power(%0, %0) : f32[64]
  %3 = broadcast_in_dim(%2) {dimensions = (1)} : f32[65536,64]
  %4 = multiply(%1, %3) : f32[65536,64]
  return %4
}
"""

GRAPHS = {
    "softmax": SOFTMAX,
    "matmul": BIAS_RELU_AFTER_MATMUL,
    "mse": MSE_GRADIENT,
    "transposed": TRANSPOSED_OUTPUT,
    "concatenated": CONCATENATED,
    "total": NORMALISED_BY_TOTAL,
    "small": SMALL_INTO_LARGE,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_kernels_and_refusals(name, golden):
    values = values_of(parse(GRAPHS[name]))
    fused = fuse(values)
    refusals = [f"not fused {r.producer} -> {r.consumer}: {r.reason}" for r in fused.refusals]
    golden("\n".join([listing(build_plan(fused, ON_CPU).launches)[0], "", *refusals]))


def around(make):
    """The refusals around a template, which `make` makes of a builder and its inputs, and a tanh
    after it, by the operation that computes."""
    b = Builder()
    template = make(b, lambda *shape: b.parameter(TensorType(F32, shape)))
    graph = b.graph("f", [b.node("tanh", template)])
    return {r.producer.op: r for r in fuse(values_of(graph)).refusals}


def test_a_sum_over_columns_stays_out_of_a_loop_over_the_rows_of_a_square():
    graph = """graph f(%0: f32[256,256]) {
      %1 = exponential(%0) : f32[256,256]
      %2 = reduce(%1) {monoid = add, dimensions = (1)} : f32[256]
      %3 = reduce(%1) {monoid = maximum, dimensions = (0)} : f32[256]
      return %2, %3
    }"""
    fused = fuse(values_of(parse(graph)))
    assert [group.kernel.kind for group in fused.groups] in (["row", "column"], ["column", "row"])
    (refusal,) = fused.refusals
    assert "one kernel runs along rows, the other along columns" in refusal.reason


ROWS_AND_COLUMNS = """
graph losses(%0: f32[512,512]) {
  %1 = constant() {value = 14.0} : f32[512,512]
  %2 = multiply(%0, %1) : f32[512,512]
  %3 = reduce(%2) {monoid = maximum, dimensions = (1)} : f32[512]
  %4 = broadcast_in_dim(%3) {dimensions = (0)} : f32[512,512]
  %5 = subtract(%2, %4) : f32[512,512]
  %6 = exponential(%5) : f32[512,512]
  %7 = reduce(%6) {monoid = add, dimensions = (1)} : f32[512]
  %8 = transpose(%2) {permutation = (1, 0)} : f32[512,512]
  %9 = reduce(%8) {monoid = maximum, dimensions = (1)} : f32[512]
  %10 = broadcast_in_dim(%9) {dimensions = (0)} : f32[512,512]
  %11 = subtract(%8, %10) : f32[512,512]
  %12 = exponential(%11) : f32[512,512]
  %13 = reduce(%12) {monoid = add, dimensions = (1)} : f32[512]
  return %7, %13
}
"""


def test_what_joins_at_once_reads_nothing_across():
    """Losses by rows and by columns of one matrix, as a contrastive loss is."""
    fused = fuse(values_of(parse(ROWS_AND_COLUMNS)))
    assert sorted(group.kernel.kind for group in fused.groups) == ["column", "row"]
    assert sum(cost.across_bytes(group.kernel) for group in fused.groups) == 0


@pytest.mark.parametrize(("model", "kernels"), [(cost.CPU, 2), (cost.GPU, 1)])
def test_a_reduction_stays_out_of_a_loop_that_scans_on_a_cpu(model, kernels):
    graph = """graph f(%0: f32[256,256]) {
      %1 = exponential(%0) : f32[256,256]
      %2 = cumulative(%1) {monoid = multiply, dimension = 1, reverse = False} : f32[256,256]
      %3 = reduce(%2) {monoid = add, dimensions = (1)} : f32[256]
      return %3
    }"""
    fused = fuse(values_of(parse(graph)), model)
    assert len(fused.groups) == kernels
    assert ["as two kernels, both are" in r.reason for r in fused.refusals] == [True] * (
        kernels - 1
    )


@pytest.mark.parametrize(
    ("model", "count", "kernels"), [(cost.CPU, 2, 2), (cost.CPU, 16, 2), (cost.GPU, 16, 1)]
)
def test_parts_put_together_stay_out_of_a_reduction_on_a_cpu(model, count, kernels):
    """By themselves they are a loop each, and what is computed of them element by element too."""
    b = Builder()
    parts = [b.parameter(TensorType(F32, (512, 32))) for _ in range(count)]
    whole = b.node("negate", b.node("concatenate", *parts, dimension=1))
    fused = fuse(values_of(b.graph("f", [b.reduce(whole, "add", (1,))])), model)
    assert len(fused.groups) == kernels
    assert ["one loop for each operand" in r.reason for r in fused.refusals] == [True] * (
        kernels - 1
    )


@pytest.mark.parametrize(("model", "kernels"), [(cost.CPU, 2), (cost.GPU, 1)])
def test_what_is_interleaved_again_and_again_stays_out_of_a_reduction_on_a_cpu(model, kernels):
    """As an associative scan leaves them: whose part a row is, is asked by remainders."""
    b = Builder()
    whole = b.parameter(TensorType(F32, (32, 32)))
    for rows in (32, 64, 128):
        odd = b.parameter(TensorType(F32, (rows, 32)))
        whole = b.node("add", *(_every_other_row(b, x, low) for low, x in enumerate((whole, odd))))
    fused = fuse(values_of(b.graph("f", [b.reduce(whole, "add", (1,))])), model)
    assert len(fused.groups) == kernels


def _every_other_row(b, x, low):
    zero = b.scalar(0, F32)
    return b.node("pad", x, zero, low=(low, 0), high=(1 - low, 0), interior=(1, 0))


def test_a_few_matrices_one_above_the_other_are_added_where_they_are():
    b = Builder()
    parts = [b.parameter(TensorType(F32, (1, 512, 512))) for _ in range(4)]
    together = b.node("concatenate", *parts, dimension=0)
    fused = fuse(values_of(b.graph("f", [b.reduce(together, "add", (0,))])))
    assert len(fused.groups) == 1 and not fused.refusals


@pytest.mark.parametrize("name", ["convolution", "dot_general"])
def test_what_a_template_takes_in_is_left_to_the_plan(name):
    def make(b, x):
        if name == "convolution":
            return b.convolution(b.node("tanh", x(2, 3, 8, 8)), x(4, 3, 3, 3))
        return b.dot_general(b.node("tanh", x(8, 8)), x(8, 8), contract=((1,), (0,)))

    found = around(make)
    assert set(found) == {"tanh", name} and all(r.left_to_plan for r in found.values())


def test_a_merge_never_makes_a_cycle():
    graph = parse("""
    graph around(%0: f32[64,32], %1: f32[32,32]) {
      %2 = exponential(%0) : f32[64,32]
      %3 = dot_general(%2, %1) {lhs_batch = (), rhs_batch = (),
          lhs_contract = (1), rhs_contract = (0)} : f32[64,32]
      %4 = add(%2, %3) : f32[64,32]
      return %4
    }
    """)
    values = values_of(graph)
    steps = build_plan(fuse(values), ON_CPU).steps
    assert [type(s).__name__ for s in steps] == ["KernelStep", "FusedMatmul"]


def test_fusion_of_a_deep_chain_ends_and_respects_the_limit():
    lines = [f"  %{i} = tanh(%{i - 1}) : f32[128]" for i in range(1, 201)]
    text_ = "graph deep(%0: f32[128]) {\n" + "\n".join(lines) + "\n  return %200\n}"
    fused = fuse(values_of(parse(text_)))
    assert sum(len(g.members) for g in fused.groups) == 200
    assert max(len(g.members) for g in fused.groups) <= 64


STENCIL = """
graph blur(%0: f32[512,512]) {
  %1 = constant() {value = 0.0} : f32[]
BODY
  return %LAST
}
"""


def blurred(times: int) -> str:
    """A five-point stencil applied so often."""
    lines, x, n = [], 0, 2
    for _ in range(times):
        edges = "low = (1, 1), high = (1, 1), interior = (0, 0)"
        lines.append(f"%{n} = pad(%{x}, %1) {{{edges}}} : f32[514,514]")
        padded, total, n = n, None, n + 1
        for row, column in ((0, 1), (2, 1), (1, 0), (1, 2), (1, 1)):
            box = f"start = ({row}, {column}), limit = ({row + 512}, {column + 512})"
            lines.append(f"%{n} = slice(%{padded}) {{{box}, strides = (1, 1)}} : f32[512,512]")
            if total is not None:
                lines.append(f"%{n + 1} = add(%{total}, %{n}) : f32[512,512]")
                n += 1
            total, n = n, n + 1
        x = total
    return STENCIL.replace("BODY", "\n".join(lines)).replace("LAST", str(x))


def test_a_stencil_is_not_computed_again_for_each_of_its_neighbours():
    fused = fuse(values_of(parse(blurred(3))))
    assert len(fused.groups) == 3
    assert all("5 times over" in r.reason for r in fused.refusals) and fused.refusals


def fan(width: int) -> str:
    """So many independent readers of one value, each an output."""
    lines = [f"%{i} = tanh(%0) : f32[128]" for i in range(1, width + 1)]
    lines = [line.replace("tanh", "sine") if i % 2 else line for i, line in enumerate(lines)]
    returned = ", ".join(f"%{i}" for i in range(1, width + 1))
    return "graph fan(%0: f32[128]) {\n" + "\n".join(lines) + f"\n return {returned}\n}}"


def test_the_work_of_fusing_a_wide_fan_grows_with_its_width(monkeypatch):
    counts = []
    for width in (100, 200):
        calls = []
        real = groups.lower
        monkeypatch.setattr(groups, "lower", lambda *a, r=real, c=calls: (c.append(1), r(*a))[1])
        fuse(values_of(parse(fan(width))))
        monkeypatch.setattr(groups, "lower", real)
        counts.append(len(calls))
    assert counts[1] < 2.3 * counts[0]


def test_what_joins_one_after_the_other_is_lowered_a_few_times_and_not_each_time(monkeypatch):
    sizes, real = [], groups.lower
    monkeypatch.setattr(groups, "lower", lambda *a: (sizes.append(len(a[1])), real(*a))[1])
    fused = fuse(values_of(parse(fan(230))))
    assert {len(g.members) for g in fused.groups} == {cost.MAX_BUFFERS - 1}
    assert sum(sizes) < 4 * 230


def test_no_kernel_keeps_more_values_alive_than_registers_hold():
    lines = [f"%{i} = tanh(%{i - 1}) : f32[128]" for i in range(1, 61)]
    sums = [f"%{60 + i} = add(%{60 + i - 1 if i > 1 else 60}, %{60 - i}) : f32[128]"
            for i in range(1, 60)]  # fmt: skip
    source = "graph wide(%0: f32[128]) {\n" + "\n".join(lines + sums) + "\n return %119\n}"
    for group in fuse(values_of(parse(source))).groups:
        assert cost.live_values(group.kernel) <= cost.MAX_LIVE


def test_two_cost_models_share_what_sets_of_operations_lower_to(monkeypatch):
    alone = each_alone(values_of(parse(SOFTMAX)))
    first = groups.fuse_by(cost.CPU, alone)
    monkeypatch.setattr(groups, "lower", lambda *_: pytest.fail("lowered again"))
    second = groups.fuse_by(cost.GPU, alone)
    assert [g.members for g in second.groups] == [g.members for g in first.groups]
    assert second.groups[0].kernel is first.groups[0].kernel


def test_a_deep_diamond_is_looked_at_once():
    """Each value is read twice by the next: paths are more than a computer could walk."""
    b = Builder()
    x, y = (b.parameter(TensorType(F32, (size,))) for size in (4, 6))
    for _ in range(70):
        x = b.node("add", x, b.node("tanh", x))
    start = time.process_time()
    fuse(values_of(b.graph("f", [x, b.node("tanh", y), b.reduce(x, "add", (0,))])))
    assert time.process_time() - start < 20


def test_the_parts_of_one_captured_operation_are_one_kernel():
    b = Builder()
    with b.origin(0):
        counter = b.parameter(TensorType(U32, (64,)))
    with b.origin(1):
        bits, _ = threefry2x32(b, (counter, counter), (counter, counter))
    with b.origin(2):
        small = b.node("tanh", b.convert(bits, F32))
    (group,) = fuse(values_of(b.graph("f", [small]))).groups
    assert len(group.members) > 64


def test_a_merge_that_would_repeat_too_much_is_given_up_on_the_way(monkeypatch):
    """What is read at four places is made 256 times for four steps of it."""
    add, made = Definitions._add, []

    def counted(self, *args):
        made[-1] += 1
        return add(self, *args)

    def begun(*args):
        made.append(0)
        return lower(*args)

    lower = groups.lower
    alone = each_alone(values_of(neighbours(6)))
    monkeypatch.setattr(Definitions, "_add", counted)
    monkeypatch.setattr(groups, "lower", begun)
    groups.fuse_by(cost.GPU, alone)
    assert max(made) == cost.MAX_DEFINITIONS + 1
