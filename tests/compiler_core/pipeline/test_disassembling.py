"""Machine code for a machine that is not there: stages that end in time."""

import pytest
import torch

import compiler_core
from compiler_core import report
from compiler_core.pipeline import planning

pytestmark = pytest.mark.cpu


def test_what_is_not_disassembled_in_time_is_left_out_and_counted(monkeypatch):
    monkeypatch.setattr(planning, "DISASSEMBLING_S", 0.0)
    found = compiler_core.explore(
        torch.relu, torch.randn(64), fuselab_options=report.Options(measure=False)
    )
    (program,) = found.programs
    (stage,) = (s for s in program.stages if s.name == "disassemble")
    assert program.status == stage.status == "ok" and not stage.artifacts
    assert stage.summary == "0 kernels; 1 left out: 0 s were not enough"


def test_what_is_not_compiled_in_time_is_left_out_and_counted(monkeypatch):
    monkeypatch.setattr(planning, "COMPILING_S", 0.0)
    found = compiler_core.explore(
        torch.relu, torch.randn(64), fuselab_options=report.Options(measure=False)
    )
    (program,) = found.programs
    (stage,) = (s for s in program.stages if s.name.startswith("compile "))
    assert program.status == stage.status == "ok" and program.numerics["core"].ok
    assert stage.summary.endswith("; 1 left out: 0 s were not enough")
    assert not stage.artifacts
