"""Why a product or a convolution and the kernel beside it are two launches, said by what decided
it."""

import re

import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.pipeline import report_building
from compiler_core.plan.build import build_plan, values_of
from tests.compiler_core.plans import ON_CPU, ON_GPU

ON = pytest.mark.parametrize("choose", [ON_CPU, ON_GPU], ids=["cpu", "gpu"])


class Net:
    def __init__(self, rows=64, width=96):
        self.b = Builder()
        self.x = self.parameter(rows, width)

    def parameter(self, *shape):
        return self.b.parameter(TensorType(F32, shape))

    def product(self, x, out):
        w = self.parameter(out, x.type.shape[1])
        return self.b.dot_general(x, w, contract=((1,), (1,)))

    def tanh(self, x):
        return self.b.node("tanh", x)

    def normed(self, x):
        b = self.b
        total = b.reduce(b.node("multiply", x, x), "add", (1,), True)
        return b.node("multiply", x, b.broadcast(b.node("rsqrt", total), x.type.shape))

    def edges(self, choose, *outputs):
        """The reasons by the operation that reads, and the plan."""
        fused = fuse(values_of(self.b.graph("net", list(outputs))))
        plan = build_plan(fused, choose)
        found = report_building.refusals(fused, plan, "", {})
        return {r.to.split()[1]: r.reason for r in found}, plan


def test_a_kernel_between_two_products_says_which_has_it():
    net = Net()
    out = net.product(net.tanh(net.product(net.x, 128)), 96)
    reasons, plan = net.edges(ON_GPU, out)
    first = plan.launches[0].step.name
    assert reasons == {
        "dot_general": "k1_tanh can be in one launch only, and is considered with k0_matmul: "
        f"see the candidates of {first}"
    }
    assert any("k1_tanh apart" in x.reason for x in plan.launches[0].candidates)


@ON
def test_a_result_that_is_returned_is_written_in_any_case(choose):
    net = Net()
    product = net.product(net.x, 96)
    reasons, _ = net.edges(choose, product, net.tanh(product))
    assert (
        reasons["tanh"] == "out0 between them is a result of the program, so it must be in memory"
    )


@ON
def test_a_result_that_two_read_names_both(choose):
    net = Net()
    product = net.product(net.x, 96)
    again = net.product(product, 64)
    reasons, _ = net.edges(choose, again, net.tanh(product))
    both = r"(k\d_tanh and k\d_matmul|k\d_matmul and k\d_tanh)"
    said = rf"b\d+ between them is read by {both}, so it must be in memory"
    assert re.fullmatch(said, reasons["tanh"])


def test_a_kernel_that_cannot_be_on_tiles_says_what_refuses_it():
    net = Net()
    reasons, plan = net.edges(ON_GPU, net.product(net.normed(net.x), 64))
    (launch,) = [x for x in plan.launches if x.step.kind == "matmul"]
    refused = [x.reason for x in launch.candidates if x.cost_us is None]
    assert reasons["dot_general"] == (
        f"not possible as one launch ({refused[0]}): see the candidates of {launch.step.name}"
    )


def test_what_is_cheaper_apart_has_both_costs_of_its_candidates():
    net = Net(2048, 2048)
    reasons, plan = net.edges(ON_CPU, net.product(net.tanh(net.x), 2048))
    (launch,) = [x for x in plan.launches if x.step.kind == "matmul"]
    costs = [x.cost_us for x in launch.candidates if x.cost_us and "apart" not in x.reason]
    chosen = next(x.cost_us for x in launch.candidates if x.chosen)
    assert chosen < min(costs)
    reason = reasons["dot_general"]
    assert reason.startswith(f"{min(costs):.1f} us as one launch (")
    assert reason.endswith(f"), {chosen:.1f} apart: see the candidates of {launch.step.name}")


@ON
def test_a_convolution_takes_in_nothing_before_it(choose):
    net = Net()
    image, weights = net.parameter(2, 8, 16, 16), net.parameter(8, 8, 3, 3)
    reasons, _ = net.edges(choose, net.b.convolution(net.tanh(image), weights))
    why = "a convolution has no prologue, so what computes its operand is a launch of its own"
    assert reasons == {"convolution": why}


def test_a_convolution_whose_reader_reduces_says_so_with_its_candidates():
    net = Net()
    image, weights = net.parameter(2, 8, 16, 16), net.parameter(8, 8, 3, 3)
    total = net.b.reduce(net.b.convolution(image, weights), "add", (1, 2, 3))
    reasons, plan = net.edges(ON_GPU, total)
    refused = [x.reason for x in plan.launches[0].candidates if x.cost_us is None]
    assert refused[0] in reasons["reduce"]
    assert reasons["reduce"].endswith(f"see the candidates of {plan.launches[0].step.name}")


@ON
def test_a_launch_that_is_named_has_candidates(choose):
    """Whatever is refused at a product: the launch that a reason leads to shows its ways."""
    net = Net(512, 1024)
    hidden = net.tanh(net.product(net.normed(net.x), 1024))
    out = net.normed(net.product(hidden, 1024))
    reasons, plan = net.edges(choose, out, net.product(out, 8))
    by_name = {x.step.name: x for x in plan.launches}
    led = [m[1] for r in reasons.values() if (m := re.search(r"see the candidates of (\w+)", r))]
    assert led and all(len(by_name[name].candidates) > 1 for name in led)
