"""Gathers and slices at run-time places in Triton's interpreter, against numpy."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from compiler_core.codegen.triton.emit import emit
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import BF16, BOOL, F32, I32, U8
from compiler_core.kernel.kernel import Kernel
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.targets import GpuTarget, resolve
from tests.compiler_core.codegen import indexing, scatters, windows
from tests.compiler_core.codegen.c.graphs import kernels_of, plan_of
from tests.compiler_core.codegen.triton import interpreter
from tests.sweep_plugin import crossed, thinned

CASES = indexing.CASES | scatters.SCATTERS | windows.WINDOWS
# Few rows, of all shapes.
SMALL = ("part of rows", "overlapping rows", "indices around", "in a block", "two indices")
TARGET = resolve("sm_90")
EXACT = replace(TARGET, deterministic=True)
pytestmark = pytest.mark.cpu


EVERY = [
    *((name, "as chosen") for name in CASES),
    *((name, "atomic") for name in scatters.SCATTERS),
    *((name, "by rows") for name in SMALL),
]
# What goes the way of others: larger or wider ones, a combination that is met in the other
# profile, another integer.
SWEPT = {
    *((name, "as chosen") for name in (
        "embedding's gradient, wide", "sum", "maximum", "sum of what stands apart", "multiply",
        "minimum", "minimum with NaN", "multiply with NaN", *SMALL)),
    *((f"{combine} of one integer", profile) for combine, profile in itertools.product(
        ("set", "add", "maximum", "minimum"), ("as chosen", "atomic"))),
    ("multiply of one integer", "as chosen"),
    ("minimum of one number", "atomic"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "profile"), thinned(EVERY, kept={*EVERY} - SWEPT))
def test_the_gpu_program_means_what_the_graph_means(name, profile, interpreter_process):
    graph, inputs = CASES[name]
    call = interpreter_process.submit(
        interpreter.plan_and_run, plan_of(graph), TARGET, inputs, profile
    )
    for found, wanted in zip(call.result(timeout=60), evaluate(graph, inputs), strict=True):
        tolerance = 8e-3 if "bf16" in name else 1e-5
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=1e-5)


@pytest.mark.parametrize("dtype", [F32, BF16, I32, U8, BOOL], ids=str)
def test_of_several_updates_the_last_one_stays(dtype, interpreter_process):
    graph, inputs = scatters.last_of_several(dtype)
    call = interpreter_process.submit(interpreter.plan_and_run, plan_of(graph), EXACT, inputs)
    (wanted,) = evaluate(graph, inputs)
    np.testing.assert_array_equal(call.result(timeout=60)[0], wanted)


def scatter(words: int, width: int, rows: int) -> Kernel:
    *_, kernel = kernels_of(scatters.embedding_gradient(words, width, rows)[0])
    return kernel


def text(kernel: Kernel, target: GpuTarget = TARGET) -> str:
    ((part,), _) = choose_gpu(kernel, target)
    return emit(part).source.text


def test_atomic_text(golden):
    kernel = scatter(4096, 512, 50257)
    golden(text(kernel))


def test_text_by_rows(golden):
    kernel = scatter(64, 32, 10)
    golden(text(kernel))


@pytest.mark.parametrize(
    ("kernel", "chosen", "reason"),
    [
        (
            scatter(4096, 512, 50257), "atomic",
            "atomic updates, in any order: not deterministic",
        ),
        (scatter(64, 32, 10), "by rows", "each row looks through all indices, in 20480"),
        (kernels_of(scatters.by_two_indices()[0])[-1], "by rows", "each row looks through all"),
        (
            kernels_of(scatters.distinct()[0])[1], "atomic",
            "plain stores: of several to one element any one stays",
        ),
        (kernels_of(scatters.into_a_parameter("multiply")[0])[-2], "by rows", "each row looks"),
        (
            kernels_of(scatters.many_rows("maximum")[0])[-1], "atomic",
            "atomic updates, whose order changes nothing",
        ),
        (
            kernels_of(scatters.many_rows("multiply")[0])[-1], "atomic",
            "updates by compare and swap, in any order: not deterministic",
        ),
    ],
)  # fmt: skip
def test_the_form_of_a_scatter_is_chosen_with_a_reason(kernel, chosen, reason):
    (part,), candidates = choose_gpu(kernel, TARGET)
    (found,) = (c for c in candidates if c.chosen)
    assert part.strategy == found.strategy == chosen and {c.strategy for c in candidates} == {
        "atomic",
        "by rows",
    }
    assert part.reason.startswith(reason) and found.reason.startswith(reason)


def test_what_is_not_deterministic_is_left_where_torch_was_told_so():
    torch.use_deterministic_algorithms(True)
    try:
        target = resolve("sm_90")
    finally:
        torch.use_deterministic_algorithms(False)
    (part,), (rows, atomic) = choose_gpu(scatter(4096, 512, 50257), target)
    assert rows.chosen and "deterministic" in part.reason
    assert atomic.cost_us is None and "torch was told not to use" in atomic.reason
    ((largest,), _) = choose_gpu(kernels_of(scatters.many_rows("maximum")[0])[-1], target)
    assert largest.reason.startswith("atomic updates, whose order changes nothing")


@pytest.mark.parametrize(("kernel", "target"), crossed(
    [
        scatter(4096, 512, 50257), scatter(64, 32, 10),
        *(kernels_of(scatters.many_rows(m)[0])[-1] for m in ("maximum", "minimum", "multiply")),
    ],
    ["sm_90", "gfx942"],
))  # fmt: skip
def test_scatters_compile(kernel, target):
    (part,), _ = choose_gpu(kernel, resolve(target))
    assert compile_offline(emit(part), target).spills == 0


# Of one type each combination; of the others an instruction of their own, or none.
OF_ONE_NUMBER = list(itertools.product(scatters.COMBINED, (F32, BF16, I32)))
MET = [x for x in OF_ONE_NUMBER if x[1] is F32 or x in (("add", BF16), ("multiply", I32))]


@pytest.mark.parametrize(("combine", "dtype"), thinned(OF_ONE_NUMBER, MET), ids=str)
def test_updates_of_one_number_compile(combine, dtype):
    for kernel in kernels_of(scatters.of_one_number(combine, dtype)[0]):
        for part in choose_gpu(kernel, TARGET)[0]:
            assert compile_offline(emit(part), "sm_90").spills == 0
