"""Snippets whose remedies are tried, for the tests of trials."""

import textwrap

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore

# What a trial needs of the run.
STAGES = [
    stage
    for stage in PIPELINE
    if stage.name not in ("compile", "numerics", "measure", "precision", "disassemble")
]


def tried(source, **options):
    """The program of a snippet, and its findings that have a trial."""
    result = report.Report()
    asked = report.Options(trials=True, **options)
    text = textwrap.dedent(source)
    explore(text, asked, lambda event: report.apply(result, event), stages=STAGES)
    (program,) = result.programs
    return program, [f for f in program.findings if f.trial is not None]


def entry_of(source, kind):
    """The first entry with the one trial of a snippet, which is offered and was measured."""
    program, found = tried(source)
    assert {f.kind for f in found} == {kind}, program.findings
    trial = found[0].trial
    assert trial.source and trial.times, trial.summary
    assert trial.speedup == trial.times[0].speedup > 0
    for time in trial.times:
        assert time.speedup_low <= time.speedup <= time.speedup_high
        assert time.before_p25_us <= time.before_us <= time.before_p75_us
    return found[0]


def trial_of(source, kind):
    return entry_of(source, kind).trial


ITEM = """
    import torch

    @torch.compile
    def f(x):
        scale = x.abs().max().item()
        return x / scale + 1.0

    f(torch.randn(8, 16))
"""

CHANGING = """
    import torch

    @torch.compile
    def f(x):
        return torch.relu(x) + 1

    for n in (8, 16, 24):
        f(torch.randn(n, 16))
"""
