"""A linear layer with its activation on the page: one launch for each target, and every way that
was considered with its cost or the reason against it."""

from functools import reduce

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]

SNIPPET = """\
# inputs: f32[96,128], f32[256,128], f32[256]
import torch

def f(x, w, b):
    return torch.nn.functional.gelu(torch.nn.functional.linear(x, w, b))
"""


@pytest.fixture(scope="module")
def program() -> report.Program:
    events: list[report.Event] = []
    explore(SNIPPET, report.Options(device="cpu", target="sm_90", measure=False), events.append)
    (found,) = reduce(report.apply, events, report.Report()).programs
    assert found.status == "ok", found.error
    return found


@pytest.mark.parametrize(("backend", "strategy"), [("cpu", "registers"), ("gpu", "matmul")])
def test_a_linear_layer_with_gelu_is_one_launch(program, backend, strategy):
    (kernel,) = (k for k in program.kernels if k.backend == backend)
    assert kernel.schedule.strategy == strategy and kernel.library is None
    assert {"dot_general", "add", "erf"} <= set(kernel.ops) and kernel.lines == [5]


def test_it_computes_what_eager_does(program):
    assert program.numerics["core"].ok


def test_the_libraries_are_candidates_with_their_cost(program):
    (kernel,) = (k for k in program.kernels if k.backend == "cpu")
    costs = {x.strategy: x.cost_us for x in kernel.candidates if "apart" in x.reason}
    assert set(costs) == {"registers", "blas", "onednn", "torch"}
    (chosen,) = (x for x in kernel.candidates if x.chosen)
    assert "rows of a panel at a time, which stay in cache" in chosen.reason
    assert all(chosen.cost_us <= x for x in costs.values())


def test_the_vendors_product_is_a_candidate_on_a_gpu(program):
    (kernel,) = (k for k in program.kernels if k.backend == "gpu")
    assert [(x.strategy, x.chosen) for x in kernel.candidates] == [
        ("matmul", True), ("matmul", False), ("vendor", False),
    ]  # fmt: skip


def test_no_refusal_is_reported_of_what_was_joined(program):
    assert not program.fusion_refusals
