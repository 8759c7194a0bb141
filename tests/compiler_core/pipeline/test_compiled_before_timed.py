"""What TorchDynamo compiles for each number that it meets is compiled before anything is timed."""

import textwrap

import pytest

from compiler_core import report
from compiler_core.measure import run
from compiler_core.pipeline import evaluation, trial_comparison
from compiler_core.pipeline.order import explore

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

BY_NUMBER = """
    import torch

    @torch.compile
    def f(x):
        y = x * x.abs().max().item()
        return y.exp() if y.sum() > 1 else y

    f(torch.ones(64, 64))
"""


@pytest.mark.parametrize(("room", "trials"), [(run, False), (trial_comparison, True)])
def test_nothing_is_compiled_while_it_is_timed(monkeypatch, room, trials):
    compiled, within = [], []

    def counted(graph, device):
        compiled.append(graph)
        return compile_graph(graph, device)

    def timed(*given, **options):
        before = len(compiled)
        found = sample(*given, **options | {"budget_s": 0.02})
        within.append(len(compiled) - before)
        return found

    compile_graph, sample = evaluation.compile_graph, room.sample
    monkeypatch.setattr(evaluation, "compile_graph", counted)
    monkeypatch.setattr(room, "sample", timed)
    explore(textwrap.dedent(BY_NUMBER), report.Options(trials=trials), lambda event: None)
    assert within and not any(within) and compiled
