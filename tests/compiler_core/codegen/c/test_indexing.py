"""Gathers and slices at run-time places, in C and in the kernel's own meaning, against numpy."""

import numpy as np
import pytest

from compiler_core.analysis.traffic import needed, of_graph
from compiler_core.codegen.c import emit
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.kernel.kernel import Load
from compiler_core.kernel.text import lines
from compiler_core.kernel.work import traffic
from compiler_core.schedule.cpu.choice import choose_cpu
from tests.compiler_core.codegen import indexing, scatters, windows
from tests.compiler_core.codegen.c.graphs import kernels_of, plan_of, run, run_together
from tests.compiler_core.plans import run_plan

CASES = indexing.CASES | scatters.SCATTERS | windows.WINDOWS


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_means_what_the_graph_means(name):
    graph, inputs = CASES[name]
    for found, wanted in zip(
        run_plan(plan_of(graph), inputs), evaluate(graph, inputs), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.cpu
@pytest.mark.parametrize("name", CASES)
def test_c_computes_what_the_graph_means(name):
    graph, inputs = CASES[name]
    for found, wanted in zip(run(graph, inputs), evaluate(graph, inputs), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["embedding and norm", "cross entropy", "update", "embedding"])
def test_an_index_its_gather_and_what_uses_it_are_one_kernel(name, golden):
    (kernel,) = kernels_of(CASES[name][0])
    golden("\n".join(text for text, _ in lines(kernel)))


def policy(name: str) -> set[str]:
    loads = [d for k in kernels_of(CASES[name][0]) for d in k.defs if isinstance(d, Load)]
    return {x.policy for d in loads for x in d.access.indirect}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("embedding", "clamped"),
        ("embedding, wrapped", "wrapped"),
        ("embedding, masked", "masked"),
    ],
)
def test_what_keeps_an_index_in_bounds_is_said(name, expected):
    assert policy(name) == {expected}


def test_an_index_that_is_proved_in_bounds_is_not_clamped():
    def remainder(b, x, j):
        return indexing.rows_of(b, x, b.node("remainder", j, b.scalar(9, j.type.dtype, (4,))))

    graph, inputs = indexing.graph(
        remainder, indexing.floats(9, 5), indexing.numbers(0, 200, 4, dtype="uint8")
    )
    (kernel,) = kernels_of(graph)
    assert "clamp" not in {getattr(d, "op", "") for d in kernel.defs}
    assert [d for d in kernel.defs if isinstance(d, Load)][-1].access.indirect[
        0
    ].policy == "in range"
    np.testing.assert_array_equal(run_plan(plan_of(graph), inputs)[0], evaluate(graph, inputs)[0])


def test_eager_and_every_other_program_read_the_rows_of_a_table_not_the_table():
    graph, _ = indexing.graph(
        indexing.rows_of, indexing.floats(1000, 8), indexing.numbers(0, 9, 16)
    )
    assert needed(graph) == of_graph(graph).bytes == 16 * 8 + 2 * 16 * 8 * 4


def test_one_update_a_row_is_no_scatter():
    """The gradient of a cross-entropy is one kernel, softmax and all."""
    (kernel,) = kernels_of(scatters.cross_entropy_gradient(12, 50)[0])
    assert not kernel.scattered


def test_a_scatter_changes_what_a_kernel_before_it_wrote(golden):
    kernels = kernels_of(scatters.embedding_gradient(4096, 512, 1000)[0])
    golden("\n".join(text for k in kernels for text, _ in lines(k)))


def test_what_a_scatter_reads_and_writes_is_its_rows():
    *_, kernel = kernels_of(scatters.embedding_gradient(16, 512, 50257)[0])
    read, written = traffic(kernel)
    rows = 16 * 512 * 4
    assert (read, written) == (16 * 8 + 2 * rows, rows)


@pytest.mark.parametrize(("width", "threads"), [(512, True), (8, False)])
def test_threads_own_columns_or_there_is_one(width, threads):
    *_, kernel = kernels_of(scatters.embedding_gradient(5000, width)[0])
    schedule, _ = choose_cpu(kernel)
    assert (schedule.strategy, schedule.threads) == ("scatter", threads)


@pytest.mark.cpu
def test_a_scatter_is_the_same_on_every_run():
    graph, inputs = scatters.embedding_gradient(5000, 512)
    first, *others = [run(graph, inputs)[0] for _ in range(4)]
    assert all(np.array_equal(first, x) for x in others)


def test_text_of_a_scatter_in_c(golden):
    text = emit.emit(plan_of(scatters.embedding_gradient(4096, 512, 1000)[0])).source.text
    golden(text)


def test_an_average_over_windows_is_one_kernel(golden):
    graph, _ = windows.average((8, 64, 56, 56), 3, 2, 1)
    text = emit.emit(plan_of(graph)).source.text
    golden("\n".join(t for k in kernels_of(graph) for t, _ in lines(k)) + "\n" + text)


@pytest.mark.cpu
@pytest.mark.parametrize("monoid", ["maximum", "add"])
def test_windows_of_every_small_size(monoid):
    cases = [
        windows.pooled((2, m, n), monoid, window, stride, pad, dilation)
        for m in (1, 3, 9)
        for n in (1, 2, 5, 8, 17)
        for window, stride, pad, dilation in (
            (2, 1, 0, 1),
            (2, 2, 1, 1),
            (3, 1, 1, 1),
            (3, 2, 1, 2),
        )
        if (window - 1) * dilation < min(m, n) + 2 * pad
    ]
    results = run_together([g for g, _ in cases], [x for _, x in cases])
    for (graph, given), (found,) in zip(cases, results, strict=True):
        (expected,) = evaluate(graph, given)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
