"""Rows in order as Triton: interpreted against numpy's meaning, and compiled for both vendors."""

import itertools
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.sizes import Symbol, size
from compiler_core.ir.types import BF16, DTYPES, F32, F64, I32, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from compiler_core.schedule.gpu import sort as gpu_sort
from compiler_core.schedule.targets import resolve
from conformance.operations.cases import random
from tests.compiler_core.codegen.sorts import (
    ByOnGpu,
    Program,
    argsort,
    argsort_graph,
    by_two,
    in_total_order,
    top_k,
    top_k_graph,
    united,
)
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_GPU
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu
H100 = resolve("sm_90")


def plan_by(way: str, graph: Graph) -> Plan:
    return build_plan(fuse(values_of(graph), cost.GPU), ByOnGpu(H100, way))


def plan_of(graph: Graph) -> Plan:
    return build_plan(fuse(values_of(graph), cost.GPU), ON_GPU)


def programs(way: str) -> list[Program]:
    """Every type that the interpreter has arrays of; every shape; several keys."""
    types = [t for t in DTYPES.values() if t is not BF16]
    found = [argsort(t, (3, 21), descending=d) for t in types for d in (False, True)]
    found += [argsort(F32, (5,), 0), argsort(F64, (2, 9, 3), 1, places=I32), argsort(F32, (2, 1))]
    found += [
        by_two(F32, F64, (20, 3), descending=True),
        by_two(I32, F32, (9, 2), descending=False),
    ]
    selected = [top_k(t, (3, 50), 7) for t in types]
    selected += [top_k(F32, (2, 3, 40), k) for k in (1, 2, 8, 40)]
    selected += [in_total_order(t, (3, 40), 7) for t in types if t.is_float]
    return selected if way == "selection" else [*found, *selected]


@pytest.mark.parametrize("way", ["counting", "bitonic", "selection"])
def test_each_way_orders_every_type_and_shape(
    way: str, interpreter_process: ProcessPoolExecutor
) -> None:
    graph, inputs = united(programs(way))
    plan = plan_by(way, graph)
    assert way in {x.schedule.strategy for x in plan.launches}
    call = interpreter_process.submit(interpreter.execute_all, plan, [inputs])
    (results,) = call.result(timeout=240)
    for found, wanted in zip(results, evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64))


@pytest.mark.parametrize("way", ["counting", "bitonic", "selection"])
def test_one_kernel_orders_batches_of_any_size(
    way: str, interpreter_process: ProcessPoolExecutor
) -> None:
    b = Builder()
    x = b.parameter(TensorType(F32, (size(Symbol("B", hint=4)), 20)))
    graph = b.graph("f", b.operation("top_k", [x], k=3, total=False))
    plan = plan_by(way, graph)
    for count in (2, 7):
        table = random(F32, (count, 20))
        call = interpreter_process.submit(interpreter.execute, plan, [table])
        found, _ = call.result(timeout=60)
        np.testing.assert_array_equal(found, np.sort(table)[:, :-4:-1])


TEXTS = {
    "counting": argsort_graph(F32, (65536, 48)),
    "counting-two-keys": by_two(F32, F64, (40, 30), descending=True)[0],
    "bitonic": argsort_graph(F32, (1024, 1000), descending=True),
    "bitonic-two-rounds": argsort_graph(F64, (512, 2048)),
    "selection": top_k_graph(BF16, (256, 32000), 10),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_text(golden, name: str) -> None:
    (source,) = emit_plan(plan_of(TEXTS[name])).values()
    golden(source.source.text)


COMPILED = {
    "counting": argsort_graph(F32, (65536, 48)),
    "counting-two-keys": by_two(F32, F64, (40, 30), descending=True)[0],
    "bitonic-short": argsort_graph(F32, (1024, 32)),
    "bitonic": argsort_graph(F32, (1024, 128)),
    "selection": top_k_graph(BF16, (256, 32000), 10),
}


# Each way for one of the two vendors; the most columns that are sorted so take long to compile.
VENDORS = list(itertools.product(COMPILED, ("sm_90", "gfx942")))
KEPT = (
    ("counting", "gfx942"), ("counting-two-keys", "sm_90"), ("bitonic-short", "sm_90"),
    ("selection", "gfx942"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "target"), thinned(VENDORS, KEPT))
def test_it_compiles_without_spills(name: str, target: str) -> None:
    (source,) = emit_plan(plan_by(name.partition("-")[0], COMPILED[name])).values()
    assert compile_offline(source, target).spills == 0


# -- rows that no program's registers hold


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and programs so small that short rows are long."""
    monkeypatch.setattr(gpu_sort, "MERGE_BLOCK", 32)
    monkeypatch.setattr(gpu_sort, "MERGED", 256)


LONG_ROWS = {
    "floats of 16 bits": argsort(DTYPES["f16"], (2, 150)),
    "unsigned, descending": argsort(DTYPES["u32"], (150,), 0, descending=True),
    "one block and a bit": argsort(F32, (33,), 0),
    "four blocks": argsort(F32, (128,), 0, descending=True),
    "four blocks and a bit": argsort(F32, (129,), 0),
    "two rounds, along an axis that is not the last": argsort(F64, (90, 2), 0, places=I32),
    "two keys": by_two(I32, F32, (70, 1), descending=False),
    "the first one": top_k(F32, (1, 300), 1),
    "the first seven of two rows": top_k(F32, (2, 150), 7),
    "more than a block of them": top_k(F32, (1, 300), 65),
    "the first of two rounds": top_k(F64, (1, 150), 9),
}


MET = LONG_ROWS.keys() - {"the first one", "four blocks", "the first of two rounds"}


@pytest.mark.parametrize("name", thinned(LONG_ROWS, MET))
def test_long_rows_are_sorted_in_blocks_that_are_merged(
    small_blocks: None, name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    graph, inputs = LONG_ROWS[name]
    plan = plan_by("merge", graph)
    assert {x.schedule.strategy for x in plan.launches} == {"merge"}
    call = interpreter_process.submit(interpreter.execute, plan, inputs)
    for found, wanted in zip(call.result(timeout=100), evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64))


def test_long_rows_of_a_batch_of_any_size(
    small_blocks: None, interpreter_process: ProcessPoolExecutor
) -> None:
    b = Builder()
    x = b.parameter(TensorType(F32, (size(Symbol("B", hint=4)), 100)))
    plan = plan_by("merge", b.graph("f", b.operation("top_k", [x], k=30, total=False)))
    for count in (2, 3):
        table = random(F32, (count, 100))
        call = interpreter_process.submit(interpreter.execute, plan, [table])
        found, _ = call.result(timeout=60)
        np.testing.assert_array_equal(found, np.sort(table)[:, :-31:-1])


def test_a_long_row_is_several_launches_whose_words_have_a_place() -> None:
    plan = plan_of(argsort_graph(F32, (1_000_000,), 0))
    assert [x.schedule.strategy for x in plan.launches] == 6 * ["merge"]
    words = [p for p in plan.placements if p.offset is not None]
    assert len(words) == 5 and plan.arena_bytes < 2.2 * 8 * 2**20
    candidates = plan.launches[0].candidates
    assert all(x.candidates is candidates for x in plan.launches)
    assert [c.strategy for c in candidates] == [
        "counting", "selection", "bitonic", "merge", "library",
    ]  # fmt: skip
    (chosen,) = (c for c in candidates if c.chosen)
    assert chosen.cost_us == pytest.approx(sum(x.cost_us for x in plan.launches))


def test_few_of_a_long_row_are_taken_of_each_block_and_then_of_these() -> None:
    first, *others = plan_of(top_k_graph(F32, (1, 1_000_000), 10)).launches
    assert first.step.words is None and first.step.outputs[0].type.numel == 977 * 10
    assert [x.step.runs.count for x in others] == [62, 4, 1]


LONG = {
    "sort": argsort_graph(F32, (100_000,), 0),
    "two-rounds": argsort_graph(F64, (2, 20_000)),
    "top-k": top_k_graph(F32, (1, 100_000), 100),
}


@pytest.mark.parametrize("name", ["blocks", "merge4096", "merge262144"])
def test_the_text_of_a_launch_of_a_long_row(golden, name: str) -> None:
    golden(emit_plan(plan_by("merge", LONG["sort"]))[f"k0_sort_{name}"].source.text)


def test_the_text_of_the_second_round_reads_keys_in_the_order_of_the_first(golden) -> None:
    golden(emit_plan(plan_by("merge", LONG["two-rounds"]))["k0_sort_r1_blocks"].source.text)


@pytest.mark.parametrize("target", thinned(["sm_90", "gfx942"], kept=("sm_90",)))
def test_the_launches_of_a_long_row_compile_without_spills(target: str) -> None:
    for source in emit_plan(plan_by("merge", LONG["top-k"])).values():
        assert compile_offline(source, target).spills == 0


def test_rows_that_are_the_librarys_say_why() -> None:
    (launch,) = plan_of(argsort_graph(F32, (1, 200_000_000))).launches
    assert launch.schedule.strategy == "library"
    assert "the framework's is faster" in launch.schedule.reason
