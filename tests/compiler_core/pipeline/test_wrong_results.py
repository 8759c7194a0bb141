"""A compiler whose numbers are wrong is not shown as faster; a program is not "ok" that the core
gets wrong."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from compiler_core import explore
from compiler_core.pipeline import evaluation
from compiler_core.report import Options

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]


def plain(x):
    return x.tanh()


def drawing(x):
    return F.dropout(x, 0.5)


@pytest.mark.parametrize("fn", [plain, drawing], ids=lambda f: f.__name__)
def test_whoever_gives_a_wrong_result_is_neither_faster_nor_slower(monkeypatch, fn):
    made = evaluation.core

    def mistaken(*args):
        right = made(*args)
        return replace(right, outputs=lambda given: [y + 1 for y in right.outputs(given)])

    monkeypatch.setattr(evaluation, "core", mistaken)
    (program,) = explore(fn, torch.randn(64, 30), fuselab_options=Options()).programs
    assert not program.numerics["core"].ok
    assert program.timings["core"].verdict == "wrong result"
    assert program.timings["eager"].verdict == ""
    protocol = next(s.summary for s in program.stages if s.kind == "measure")
    assert ("draws other random numbers" in protocol) == (fn is drawing)
    assert program.status == "failed" and program.error.stage == "numerics"
    assert "another result than the framework" in program.error.message
