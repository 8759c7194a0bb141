"""Programs through TVM itself, where it is installed. Starting it takes four seconds."""

import jax
import jax.numpy as jnp
import pytest
import torch

from compiler_core import capture, reference
from compiler_core.measure import run
from compiler_core.measure.runnable import eager
from compiler_core.snippet.program import FoundProgram
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = [pytest.mark.extra("tvm"), pytest.mark.timeout(110)]

X = torch.linspace(-2, 2, 96).reshape(8, 12)


def torch_program(x, out):
    return torch.softmax(torch.nn.functional.gelu(x), -1), x.argmax() < 3


def writing(x, out):
    out.copy_(x.sum(-1))
    return x.relu()


def jax_program(x, unused):
    return {"y": jax.nn.softmax(jax.nn.gelu(x)), "sum": x.sum(), "order": jnp.argsort(-x)}


def jax_training_step(x, labels):
    """Of which the gradient of the index by labels is a scatter."""

    def loss(w):
        scores = jax.nn.log_softmax(jnp.tanh(x @ w))
        return -jnp.mean(scores[jnp.arange(8), labels.astype(int)])

    w = jnp.linspace(-1, 1, 48).reshape(12, 4)
    value, gradient = jax.value_and_grad(loss)(w)
    return value, w - 0.1 * gradient


@pytest.mark.parametrize("function", [torch_program, writing, jax_program, jax_training_step])
def test_programs_of_both_frameworks_run_and_are_timed_by_tvms_own_clock(function):
    framework = "jax" if function.__name__.startswith("jax") else "torch"
    args = (X.clone(), torch.zeros(8))
    args = tuple(jnp.asarray(x.numpy()) for x in args) if framework == "jax" else args
    program = capture.capture(FoundProgram("f", framework, 1, function, args))
    found = reference.prepare("tvm", program, framework)
    assert found.status == "ok", found.summary
    assert "by that process's clock" in found.summary
    runs = {"eager": eager(program, framework), "tvm": found.runnable}
    checked = run.check(runs, program, program.fresh(1))["tvm"]
    assert checked.ok, checked.error
    measured = run.measure(runs, program, budget_s=0.1)
    assert measured.timings["tvm"].median_us > 1 and measured.numerics["tvm"].ok


def test_what_tvm_refuses_is_one_sentence():
    program = FoundProgram("f", "torch", 1, lambda x: torch.special.i0e(x) + 1, (X,))
    found = reference.prepare("tvm", capture.capture(program), "torch")
    assert found.status == "skipped"
    assert found.summary.startswith("TVM has no rule for what torch calls special_i0e, of which")
    assert "Unsupported function types" in found.artifacts[0].text


def test_what_tvm_refuses_of_a_look_is_in_the_why_list_with_its_own_words():
    source = """
        import torch


        @torch.compile
        def f(x):
            return torch.special.i0e(x) + 1


        f(torch.randn(8, 16))
    """
    (program,) = looked(source, "tvm").programs
    (found,) = [f for f in program.findings if f.compiler == "tvm"]
    assert (found.kind, found.what) == ("not compiled", "TVM cannot take the program")
    assert "special_i0e" in found.why and found.remedy
    assert found.raw.startswith("Unsupported function types")
    assert (program.stages[-1].status, program.stages[-1].summary) == ("failed", found.why)


def test_a_look_shows_passes_kernels_and_code_with_the_snippets_lines():
    source = """
        import torch


        @torch.compile
        def f(x, w, b):
            h = torch.relu(x @ w + b)
            return h - h.mean(-1, keepdim=True), h.sum(0)


        f(torch.randn(8, 16), torch.randn(16, 4), torch.randn(4))
    """
    (program,) = looked(source, "tvm").programs
    stages = {s.name: s for s in stages_of(program, "tvm")}
    end = program.stages[-1]
    assert (end.name, end.status) == ("insides", "ok"), end.summary
    assert {"relax", "passes", "LegalizeOps", "FuseOps", "kernels", "code"} <= stages.keys()
    (table,) = stages["kernels"].tables
    assert [(row.nodes, row.line) for row in table.rows] == [([0, 1, 2], 7), ([3, 4], 8), ([5], 8)]
    (told,) = [c for c in program.compilers if c.compiler == "tvm"]
    assert (told.graphs.value, told.kernels.value, told.launches.value) == (1, 3, 3)
    assert {a.name for a in stages["code"].artifacts} >= {"vm", "ll 0", "asm 0"}
    decisions = [d for d in program.fusion_decisions if d.compiler == "tvm"]
    assert {d.fused for d in decisions} == {True, False}
