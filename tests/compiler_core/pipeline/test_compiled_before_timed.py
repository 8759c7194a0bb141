"""What TorchDynamo compiles for each number that it meets is compiled before anything is timed."""

import textwrap

import pytest

from compiler_core import report
from compiler_core.measure import run
from compiler_core.pipeline import evaluation
from compiler_core.pipeline.order import explore
from compiler_core.pipeline.trials import comparison as trial_comparison

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled", "few_samples")]

BY_NUMBER = """
    import torch

    @torch.compile
    def f(x):
        y = x * x.abs().max().item()
        return y.exp() if y.sum() > 1 else y

    f(torch.ones(64, 64))
"""


def test_nothing_is_compiled_while_it_is_timed(monkeypatch):
    compiled, within = [], {run: [], trial_comparison: []}

    def counted(graph, device):
        compiled.append(graph)
        return compile_graph(graph, device)

    def timed(sample, found):
        def sampled(*given, **options):
            before = len(compiled)
            samples = sample(*given, **options | {"budget_s": 0.02})
            found.append(len(compiled) - before)
            return samples

        return sampled

    compile_graph = evaluation.compile_graph
    monkeypatch.setattr(evaluation, "compile_graph", counted)
    for room, found in within.items():
        monkeypatch.setattr(room, "sample", timed(room.sample, found))
    explore(textwrap.dedent(BY_NUMBER), report.Options(trials=True), lambda event: None)
    assert compiled and all(within.values())
    assert not any(map(any, within.values())), within
