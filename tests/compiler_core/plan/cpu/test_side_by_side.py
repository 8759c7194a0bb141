"""Small launches that threads call side by side: which, in which parts, and with what result."""

from collections import Counter

import numpy as np
import pytest
import torch

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.interop.arrays import numpy_to_torch, torch_to_numpy
from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.runtime import cpu
from compiler_core.steering import Steering, steered
from tests.compiler_core.plans import ON_CPU

pytestmark = pytest.mark.cpu

SMALL, LARGE = 16_384, 4_000_000
ROWS, COLUMNS = 64, 256


def planned(graph, replaced=(), on=ON_CPU):
    return build_plan(fuse(values_of(graph), cost.CPU), on, replaced=replaced)


def updates(*sizes):
    """w - 0.1 g of each size."""
    b = Builder()
    pairs = [[b.parameter(TensorType(F32, (size,)), f"{x}{i}") for x in "wg"]
             for i, size in enumerate(sizes)]  # fmt: skip
    results = [b.node("subtract", w, b.node("multiply", g, b.scalar(0.1, F32, (n,))))
               for (w, g), n in zip(pairs, sizes, strict=True)]  # fmt: skip
    return b.graph("updates", results)


def centred(count):
    """Tables less the sums of the columns of others, which launches before have left."""
    b, results = Builder(), []
    for i in range(1, count + 1):
        x, y = (b.parameter(TensorType(F32, (ROWS + i * n, COLUMNS)), f"{name}{i}")
                for n, name in enumerate("xy"))  # fmt: skip
        means = b.reduce(x, "add", (0,))
        results.append(b.node("subtract", y, b.broadcast_in_dim(means, y.type.shape, (1,))))
    return b.graph("centred", results)


def parts(plan):
    """The names of the launches of each part, in order."""
    found = {}
    for launch in plan.launches:
        found.setdefault(launch.side and launch.side.part, []).append(launch.step.name)
    return found


def arrays_for(graph):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(x.type.shape).astype(np.float32) for x in graph.inputs]


def test_small_launches_are_divided_among_the_threads_and_each_is_run_by_one():
    plan = planned(updates(*[SMALL] * 8))
    assert {part: len(names) for part, names in parts(plan).items()} == {0: 4, 1: 4}
    assert not any(launch.schedule.threads for launch in plan.launches)


def test_the_longest_is_outweighed_by_several_short_ones():
    plan = planned(updates(4 * SMALL, *[SMALL] * 4))
    assert sorted(map(len, parts(plan).values())) == [1, 4]


def test_what_reads_another_s_result_is_called_after_it_by_the_same_thread():
    plan = planned(centred(8))
    wrote = {b.name: x for x in plan.launches for b in x.step.outputs}
    read = [(wrote[b.name], x) for x in plan.launches for b in x.step.inputs if b.name in wrote]
    assert len(read) == 8
    assert all(first.side == second.side is not None for first, second in read)


def test_what_reads_an_old_value_is_called_before_that_is_written_over():
    b = Builder()
    a, c = (b.parameter(TensorType(F32, (128, 128)), name) for name in "ac")
    turned = b.node("tanh", b.node("add", b.transpose(a, (1, 0)), c))
    graph = b.graph("f", [turned, b.node("negate", c), b.node("exponential", a)])
    plan = planned(graph, replaced=[(2, 0)])
    (over,) = plan.over
    (writer,) = (x for x in plan.launches if over in {b.name for b in x.step.outputs})
    (reader,) = (x for x in plan.launches
                 if x is not writer and "in_a" in {b.name for b in x.step.inputs})  # fmt: skip
    assert plan.launches.index(reader) < plan.launches.index(writer)
    assert writer.side == reader.side


def test_what_threads_have_enough_of_stays_shared():
    plan = planned(updates(LARGE, LARGE))
    assert all(launch.side is None and launch.schedule.threads for launch in plan.launches)


def test_a_launch_that_waits_for_the_one_before_is_left_as_it_is():
    assert [*parts(planned(centred(1)))] == [None]


def test_nothing_that_is_used_side_by_side_shares_memory():
    plan = planned(centred(8))
    between = [p for p in plan.placements if p.offset is not None]
    assert len(between) == len({p.offset for p in between}) == 8


def test_who_decides_about_a_launch_has_it_run_so():
    class ShareTheFirst(Steering):
        def picks(self, of, options):
            named = of is not None and any(name.startswith("k0") for name in of.names)
            shared = [o for o in options if o.candidate.parameters.get("threads")]
            return shared[0] if named and shared else None

    with steered(ShareTheFirst()):
        first, *rest = planned(updates(*[SMALL] * 8)).launches
    assert first.side is None and first.schedule.threads
    assert {launch.side.part for launch in rest} == {0, 1}


def test_each_says_what_it_is_beside_and_that_it_was_chosen():
    first, *_ = planned(updates(*[SMALL] * 8)).launches
    (chosen,) = (x for x in first.candidates if x.chosen)
    assert chosen.reason == first.schedule.reason
    assert chosen.reason.endswith("by one thread, side by side with 7 others")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    "graph", [updates(*[SMALL] * 8), updates(4 * SMALL, 7, *[SMALL] * 4), centred(8)],
    ids=["equal", "of several sizes", "chains"],
)  # fmt: skip
def test_the_results_are_those_of_launches_in_order(graph, threads):
    plan = planned(graph)
    assert any(launch.side for launch in plan.launches)
    arrays, before = arrays_for(graph), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = cpu.build(plan)([numpy_to_torch(x) for x in arrays])
    finally:
        torch.set_num_threads(before)
    for ours, wanted in zip(found, eval_numpy.evaluate(graph, arrays), strict=True):
        np.testing.assert_allclose(torch_to_numpy(ours), wanted, rtol=1e-4, atol=1e-4)


def test_each_launch_is_on_the_timeline_once_a_call():
    graph = updates(*[SMALL] * 8)
    run, stamps = cpu.build_with_stamps(planned(graph))
    arguments = [numpy_to_torch(x) for x in arrays_for(graph)]
    for _ in range(50):
        run(arguments)
        found = Counter(stamp.launch for stamp in stamps.take())
        assert found == {launch.step.name: 1 for launch in run.plan.launches}
