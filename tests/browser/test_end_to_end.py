"""Snippets through the API, a real worker, its sandbox and every compiler, into a real database."""

from compiler_core import report
from tests.browser import api

BOTH = """\
import torch
import jax, jax.numpy as jnp

@torch.compile
def f(x, w):
    return torch.softmax(x @ w, -1)

@jax.jit
def g(x):
    return jnp.tanh(x).sum()

f(torch.ones(8, 16), torch.ones(16, 4))
g(jnp.ones(32))
"""
COMPILERS = ("core", "inductor", "xla")
BROKEN = """\
import torch

@torch.compile
def f(x):
    return x + 1

f(torch.ones(3))
raise ValueError("on line 8")
"""


def test_a_torch_and_a_jax_program_go_through_every_compiler_and_are_measured(
    live_stack: str,
) -> None:
    """The walls let the real compilers do their work: the core with gcc and Triton, TorchInductor
    with its headers and locks, XLA with its threads. In one run, because these take long."""
    options = {"device": "cpu", "target": "sm_90", "compilers": COMPILERS, "insides": ["dynamo"]}
    run = api.ended(live_stack, BOTH, fresh=True, **options)
    assert run.state == "done", run.report
    assert run.report.error is None and not report.failed(run.report)
    assert run.report.toolchain["torch"]
    assert "interleaved" in run.report.protocol
    assert not [notice for notice in run.report.notices if notice.level == "error"]
    found = [(program.name, program.framework) for program in run.report.programs]
    assert found == [("f", "torch"), ("g", "jax")]
    for program in run.report.programs:
        is_whole(program)


def is_whole(program: report.Program) -> None:
    assert [stage.name for stage in program.stages if stage.status == "failed"] == []
    assert {"captured", "triton", "c", "ptx"} <= kinds(program)
    assert program.kernels
    assert {"eager", *COMPILERS} <= program.timings.keys()
    assert {"eager", "core"} <= program.numerics.keys()
    assert program.numerics["core"].ok


def kinds(program: report.Program) -> set[str]:
    return {artifact.kind for stage in program.stages for artifact in stage.artifacts}


def test_a_broken_snippet_shows_what_it_reached(live_stack: str) -> None:
    run = api.ended(live_stack, BROKEN, fresh=True, measure=False)
    assert run.state == "failed"
    assert run.report.error is not None and run.report.error.line == 8
    assert [program.status for program in run.report.programs] == ["ok"]
