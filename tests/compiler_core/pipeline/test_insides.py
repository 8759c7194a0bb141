"""Compilers that are looked into, where a program could not be captured."""

import textwrap

import pytest

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore

pytestmark = pytest.mark.cpu

STAGES = [stage for stage in PIPELINE if stage.name in ("capture", "insides", "why")]
# The core is given no memory beside that of an input, which is there all the same.
REFUSED = """
    import torch

    @torch.compile(fullgraph=True)
    def f(x, y):
        y.mul_(2)
        return torch.as_strided(x, (3, 3), (1, 1), 5) * y

    f(torch.arange(10.0)[:4], torch.ones(3))
"""


def explored(source, *insides):
    result = report.Report()
    options = report.Options(insides=insides)
    text = textwrap.dedent(source)
    explore(text, options, lambda event: report.apply(result, event), stages=STAGES)
    (program,) = result.programs
    return program


def test_what_the_core_cannot_capture_dynamo_shows_all_the_same():
    program = explored(REFUSED, "dynamo", "inductor")
    assert program.status == "failed" and program.error.stage == "capture"
    (graph,) = [s for s in program.stages if s.name == "f [0/0]"]
    assert graph.status == "ok" and "as_strided" in graph.artifacts[0].text


def test_what_the_core_cannot_capture_is_shown_to_all_that_follow_its_call():
    asked = ("aot", "inductor", "ladder", "export", "xla", "stablehlo", "sharding")
    program = explored(REFUSED, *asked)
    looked = {s.compiler: s for s in program.stages if s.name == "insides"}
    assert {*looked} == {*asked}
    statuses = {who: stage.status for who, stage in looked.items()}
    assert statuses == {
        "aot": "ok", "inductor": "ok", "ladder": "ok", "export": "ok",
        "xla": "skipped", "stablehlo": "skipped", "sharding": "skipped",
    }  # fmt: skip
    assert "there is none: " in looked["xla"].summary
    (ladder,) = [t for s in program.stages for t in s.tables if t.name == "ladder"]
    assert len(ladder.rows) == 4 and not any("fails" in str(row.cells) for row in ladder.rows)


def test_what_the_core_cannot_capture_is_not_said_of_dynamo():
    failed = [f for f in explored(REFUSED, "dynamo").findings if f.kind == "failed"]
    assert [f.compiler for f in failed] == ["core"]


def test_a_jax_program_that_cannot_be_traced_says_so_of_each_that_was_asked_for():
    source = """
        import jax

        @jax.jit
        def f(x):
            return x if x.sum() > 0 else -x

        f(jax.numpy.ones(4))
    """
    program = explored(source, "jax", "xla")
    looked = {s.compiler: (s.status, s.summary) for s in program.stages if s.compiler}
    assert {*looked} == {"jax", "xla"}
    for status, why in looked.values():
        assert status == "skipped" and "TracerBoolConversionError" in why
    assert [f.compiler for f in program.findings] == ["jax"]
