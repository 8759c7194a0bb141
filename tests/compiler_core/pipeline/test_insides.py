"""Compilers that are looked into, where a program could not be captured."""

import textwrap

import pytest

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore

pytestmark = pytest.mark.cpu

STAGES = [stage for stage in PIPELINE if stage.name in ("capture", "insides", "why")]
# The core has no size that is a tensor's value, and fullgraph allows no break.
BY_VALUE = """
    import torch

    torch._dynamo.config.capture_scalar_outputs = True

    @torch.compile(fullgraph=True)
    def f(x, y):
        n = y.item()
        torch._check(n <= x.shape[0])
        torch._check(n >= 1)
        x.mul_(2)
        return x[:n].sum(0) * 2

    x = torch.ones(32, 8)
    f(x, torch.tensor(7))
"""


def explored(source, *insides):
    result = report.Report()
    options = report.Options(insides=insides)
    text = textwrap.dedent(source)
    explore(text, options, lambda event: report.apply(result, event), stages=STAGES)
    (program,) = result.programs
    return program


def test_what_the_core_cannot_capture_dynamo_shows_all_the_same():
    program = explored(BY_VALUE, "dynamo", "inductor")
    assert program.status == "failed" and program.error.stage == "capture"
    assert {s.compiler for s in program.stages} == {"", "dynamo"}
    (sizes,) = [s for s in program.stages if s.name == "symbolic sizes"]
    assert sizes.summary == "1 symbol"


def test_a_jax_program_that_cannot_be_traced_is_shown_to_none():
    source = """
        import jax

        @jax.jit
        def f(x):
            return x if x.sum() > 0 else -x

        f(jax.numpy.ones(4))
    """
    assert {s.compiler for s in explored(source, "jax", "xla").stages} == {""}
