"""Which way a matrix product is computed on a CPU, and what was considered."""

from dataclasses import replace

import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.ir.build import Builder
from compiler_core.ir.types import BF16, F16, F32, F64, TensorType
from compiler_core.plan.choose import OnCpu
from compiler_core.plan.cpu.libraries import libraries
from compiler_core.runtime import blas, private
from compiler_core.schedule.figures import processor
from compiler_core.schedule.processors import AMD, rates_of
from compiler_core.schedule.targets import CpuTarget
from tests.compiler_core.plan.planned import launched, planned, product
from tests.compiler_core.plans import ON_CPU


@pytest.mark.parametrize(
    ("graph", "library"),
    [
        (product(32, 64, 32), "registers"),
        (product(1024, 1024, 1024), "registers"),
        (product(1024, 1024, 1024, F64), "registers"),
        (product(1024, 1024, 1024, F16), "registers"),
        (product(1024, 1024, 1024, BF16), "torch"),
        (product(1024, 1024, 1024, contract=((0,), (0,))), "registers"),
        (product(1, 256, 256, contract=((1,), (1,))), "blas"),
        (product(256, 10_000, 256), "onednn"),
        (product(256, 10_000, 256, contract=((0,), (0,))), "blas"),
    ],
)
def test_the_model_chooses_the_library_of_a_product(graph, library):
    assert launched(graph, ON_CPU).schedule.strategy == library


@pytest.mark.parametrize("dtype", [BF16, F16])
@pytest.mark.parametrize("contract", [((1,), (0,)), ((1,), (1,))])
def test_sixteen_bit_products_are_generated_where_no_instruction_computes_them(dtype, contract):
    without = OnCpu(CpuTarget(rates=AMD.without([dtype])))
    graph = product(1024, 1024, 1024, dtype, contract)
    assert launched(graph, without).schedule.strategy == "registers"


def test_rates_follow_what_torch_asks_of_the_processor(monkeypatch):
    monkeypatch.setattr(blas, "multiplied_by_onednn", lambda: {BF16: False, F16: True})
    ours, own = blas._rates(), rates_of(processor().partition(" ")[0])
    assert ours.sixteen[BF16] < own.sixteen[BF16] and ours.sixteen[F16] == own.sixteen[F16]
    assert {*private.multiplied_by_onednn()} == {BF16, F16}


def test_every_library_that_was_considered_says_what_it_costs_or_why_not():
    found = launched(product(512, 512, 512), ON_CPU).candidates
    assert [x.strategy for x in found] == ["registers"] * 4 + ["blas", "onednn", "torch"]
    (chosen,) = (x for x in found if x.chosen)
    assert chosen.strategy == "registers" and chosen.parameters["by"] == "columns"
    assert all(chosen.cost_us < x.cost_us for x in found if not x.chosen)
    half = {x.strategy: x for x in launched(product(8, 8, 8, BF16), ON_CPU).candidates}
    assert half["blas"].cost_us is None and half["blas"].reason == "BLAS has no product of bf16"


@pytest.mark.parametrize(
    ("libraries", "chosen"),
    [((), "torch"), (("sgemm",), "blas"), (("onednn",), "onednn")],
)
def test_a_library_that_is_not_there_is_not_chosen(libraries, chosen):
    target = CpuTarget(libraries=frozenset(libraries))
    launch = launched(product(256, 10_000, 256), OnCpu(target))
    assert launch.schedule.strategy == chosen


def batched_product(batch):
    b = Builder()
    x, y = (b.parameter(TensorType(F32, (batch, 8, 8))) for _ in range(2))
    return b.graph("batched", [b.dot_general(x, y, batch=((0,), (0,)), contract=((2,), (1,)))])


@pytest.mark.parametrize(("batch", "shared"), [(7, False), (8, True)])
def test_the_plan_says_whether_threads_share_the_products_of_a_batch(batch, shared):
    plan = planned(batched_product(batch), ON_CPU)
    (launch,) = plan.launches
    ways = libraries(launch.step, CpuTarget())
    (way,) = (x for x in ways if x.candidate.strategy == "blas")
    assert bool(way.candidate.parameters) == shared
    by_blas = replace(plan, launches=(replace(launch, schedule=way.result),))
    assert ("omp parallel for" in c.emit(by_blas).source.text) == shared
