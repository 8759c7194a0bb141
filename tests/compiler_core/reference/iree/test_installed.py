"""Programs through IREE itself, where it is installed."""

import jax
import jax.numpy as jnp
import pytest
import torch

from compiler_core import capture, reference
from compiler_core.measure import run
from compiler_core.measure.runnable import eager
from compiler_core.snippet.program import FoundProgram
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = [pytest.mark.extra("iree"), pytest.mark.timeout(60)]

X = torch.linspace(-2, 2, 96).reshape(8, 12)


def torch_program(x):
    return torch.softmax(torch.nn.functional.gelu(x), -1), x.argmax() < 3


def jax_program(x, unused):
    return {"y": jax.nn.softmax(jax.nn.gelu(x)).astype(jnp.bfloat16), "sum": x.sum()}


def captured(framework: str):
    if framework == "torch":
        return capture.capture(FoundProgram("f", "torch", 1, torch_program, (X,)))
    args = (jnp.asarray(X.numpy()), jnp.ones(3))
    return capture.capture(FoundProgram("f", "jax", 1, jax_program, args))


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_programs_of_both_frameworks_run_and_are_timed_by_irees_own_clock(framework):
    program = captured(framework)
    found = reference.prepare("iree", program, framework)
    assert found.status == "ok", found.summary
    assert "driver local-" in found.summary and "by that process's clock" in found.summary
    runs = {"eager": eager(program, framework), "iree": found.runnable}
    checked = run.check(runs, program, program.fresh(1))["iree"]
    assert checked.ok, checked.error
    measured = run.measure(runs, program, budget_s=0.1)
    assert measured.timings["iree"].median_us > 1 and measured.numerics["iree"].ok


def test_64_bit_integers_stay_64_bits():
    program = capture.capture(
        FoundProgram("f", "torch", 1, lambda x: x * 2**40, (torch.arange(5),))
    )
    found = reference.prepare("iree", program, "torch")
    (result,) = found.runnable.run(program.arguments)
    assert result.dtype is torch.int64 and result.tolist() == [i * 2**40 for i in range(5)]


def test_what_iree_refuses_is_one_sentence():
    program = captured("jax")
    from dataclasses import replace

    fft = replace(program, native=lambda x, unused: jnp.linalg.eigh(x[:, :8] @ x[:, :8].T)[0])
    found = reference.prepare("iree", fft, "jax")
    assert found.status == "skipped" and "the library function lapack_" in found.summary
    assert "failed to legalize operation" in found.artifacts[0].text


def test_random_keys_are_compiled_with_what_jax_says_of_dividing_them():
    """Which stands in a dialect that IREE has not got."""
    source = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(key, x):
            return x + jax.random.uniform(key, x.shape)

        f(jax.random.key(0), jnp.ones((8, 16)))
    """
    (program,) = looked(source, "iree").programs
    end = program.stages[-1]
    assert (end.name, end.status) == ("insides", "ok"), end.summary


SNIPPET = """
import torch


@torch.compile
def f(x, w, b):
    h = torch.relu(x @ w + b)
    return h - h.mean(-1, keepdim=True), h.sum(0)


f(torch.randn(8, 16), torch.randn(16, 4), torch.randn(4))
"""


def test_a_look_shows_phases_dispatches_and_code_with_the_snippets_lines():
    (program,) = looked(SNIPPET, "iree").programs
    stages = {s.name: s for s in stages_of(program, "iree")}
    end = program.stages[-1]
    assert (end.name, end.status) == ("insides", "ok"), end.summary
    assert {"stablehlo", "phases", "flow", "vm", "dispatches", "executables"} <= stages.keys()
    (table,) = stages["dispatches"].tables
    assert len(table.rows) == 3 and [row.line for row in table.rows] == [7, 8, 8]
    (told,) = [c for c in program.compilers if c.compiler == "iree"]
    assert (told.graphs.value, told.kernels.value, told.launches.value) == (1, 3, 3)
    assert stages["phases"].tables[0].rows
    assert any(a.name == "assembly" and a.text for s in stages.values() for a in s.artifacts)
    decisions = [d for d in program.fusion_decisions if d.compiler == "iree"]
    assert {d.fused for d in decisions} == {True, False}


def test_nothing_of_a_process_is_left_after_a_look(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    looked(SNIPPET, "iree")
    assert [path for path in tmp_path.iterdir() if path.name.startswith("fuselab-extra-")] == []
