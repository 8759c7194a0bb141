"""Launches in the report: what is in them, and which of them one choice made."""

from collections import Counter

import jax
import jax.numpy as jnp
import pytest
import torch

import compiler_core
from compiler_core import report

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]


def explored(fn, *args):
    found = compiler_core.explore(fn, *args, fuselab_options=report.Options(measure=False))
    (program,) = found.programs
    assert program.status == "ok", program.error
    return program


def kernels(program, backend):
    return [k for k in program.kernels if k.backend == backend]


@pytest.mark.usefixtures("uncompiled")
def test_launches_that_one_choice_made_name_each_other():
    rows = torch.randn(64, 300_000)
    program = explored(lambda x: torch.softmax(x, 1).sum(), rows)
    for kernel in kernels(program, "gpu"):
        same = [k.id for k in kernels(program, "gpu") if k.candidates == kernel.candidates]
        assert kernel.chosen_with == (same if len(same) > 1 else [])
    assert any(k.chosen_with for k in kernels(program, "gpu"))


def test_a_choice_of_one_launch_names_no_other():
    program = explored(lambda x: torch.relu(x) + 1, torch.randn(64, 64))
    assert all(k.candidates and not k.chosen_with for k in program.kernels)


def test_indirect_accesses_and_scans_are_among_the_operations():
    def f(table, ids):
        rows = table[ids]
        return torch.cumsum(rows, 1), torch.zeros(64, 32).index_add(0, ids, rows * 2)

    program = explored(f, torch.randn(64, 32), torch.randint(0, 64, (100,)))
    found = {op for k in kernels(program, "cpu") for op in k.ops}
    assert {"gather", "scan_add", "scatter_add"} <= found


def test_operations_in_a_loop_count_as_final_ones():
    def f(x):
        return jax.lax.while_loop(lambda v: v.sum() < 100, lambda v: v * v + 1, x)

    program = explored(jax.jit(f), jnp.ones(8))
    assert program.summary.ops_final >= 4


def test_kernels_that_compute_nothing_copy_or_fill():
    def f(x, ids, rows):
        return x.T.contiguous(), torch.zeros(64, 32).index_add(0, ids, rows)

    program = explored(f, torch.randn(48, 40), torch.randint(0, 64, (9,)), torch.randn(9, 32))
    assert {("copy",), ("fill",)} <= {tuple(k.ops) for k in program.kernels}
    assert {k.id for k in program.kernels if k.ops == ["fill"]} == {"k1_fill"}


def test_equal_blocks_are_compiled_and_shown_once():
    blocks = torch.nn.Sequential(
        *(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.LayerNorm(64)) for _ in range(12))
    )
    program = explored(blocks.eval(), torch.randn(32, 64))
    for backend in ("cpu", "gpu"):
        launches = kernels(program, backend)
        first = [k for k in launches if not k.same_as]
        times = Counter(k.same_as for k in launches if k.same_as)
        assert times and {times[k.id] + 1 for k in first} == {12}
    texts = [a for s in program.stages for a in s.artifacts if a.kind in ("triton", "ptx")]
    assert sorted({a.kernel for a in texts}) == sorted(k.id for k in first)
    assert len(texts) == 2 * len(first)
    # Each text speaks of all twelve, and what was compiled is known of each launch.
    shown = {a.kernel: {o for line in a.nodes for o in line} for a in texts}
    assert all(set(k.nodes) <= shown[k.same_as or k.id] for k in launches)
    assert {r.kernel for r in program.resources} == {k.id for k in launches}
