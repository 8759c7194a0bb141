"""A linear layer, its bias and GELU: one kernel can be had for every size, whatever is chosen."""

import pytest

from compiler_core.backends.cpu import Cpu
from compiler_core.backends.gpu import Gpu
from compiler_core.ir.parse import parse
from compiler_core.pipeline.one_graph import plan_of
from compiler_core.report import WantedSchedule
from compiler_core.schedule.targets import resolve

SIZES = (7, 64, 512, 4096)
LINEAR = """\
graph f(%0: f32[N,N], %1: f32[N,N], %2: f32[N]) {
  %3 = dot_general(%0, %1) {lhs_batch = (), lhs_contract = (1), rhs_batch = (),
    rhs_contract = (1)} : f32[N,N]
  %4 = broadcast_in_dim(%2) {dimensions = (1)} : f32[N,N]
  %5 = add(%3, %4) : f32[N,N]
  %6 = constant() {value = 0.7071067811865476} : f32[N,N]
  %7 = multiply(%5, %6) : f32[N,N]
  %8 = erf(%7) : f32[N,N]
  %9 = constant() {value = 1.0} : f32[N,N]
  %10 = add(%8, %9) : f32[N,N]
  %11 = constant() {value = 0.5} : f32[N,N]
  %12 = multiply(%5, %11) : f32[N,N]
  %13 = multiply(%12, %10) : f32[N,N]
  return %13
}
"""
# What the one kernel is called among the candidates, and the library's.
BACKENDS = {"gpu": (Gpu(resolve("sm_90")), "matmul", "vendor"), "cpu": (Cpu(), "registers", "blas")}


def planned(backend, size, candidate=""):
    by = [WantedSchedule("%3", candidate)] if candidate else []
    return plan_of(parse(LINEAR.replace("N", str(size))), backend, by)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_one_kernel_and_the_librarys_product_are_shown_with_their_costs(backend, size):
    machine, one, library = BACKENDS[backend]
    costs = {name: c.cost_us for name, c in planned(machine, size).launches[0].named}
    assert costs[one] and costs[library]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_either_is_taken_by_whoever_asks_for_it(backend, size):
    machine, one, library = BACKENDS[backend]
    (launch,) = planned(machine, size, one).launches
    product, end = planned(machine, size, library).launches
    assert (launch.schedule.strategy, product.schedule.strategy) == (one, library)
    assert launch.step.outputs == end.step.outputs


def test_what_was_asked_for_at_a_size_that_is_the_vendors_is_one_kernel_of_triton():
    machine, one, _ = BACKENDS["gpu"]
    assert planned(machine, 4096).launches[0].schedule.strategy == "vendor"
    (text,) = machine.emit(planned(machine, 4096, one)).texts
    assert "tl.dot(" in text.source.text and "erf(" in text.source.text
