"""A launch that Triton refuses for the target that is shown, of a program that the CPU runs."""

import pytest

from compiler_core import report
from compiler_core.codegen.triton import offline
from compiler_core.errors import ToolchainError
from compiler_core.pipeline.order import explore

pytestmark = pytest.mark.cpu

TWO_KERNELS = """\
import torch

@torch.compile
def f(x):
    return x.sum(0), x.sort(1).values.exp()

f(torch.ones(40, 60))
"""


@pytest.fixture
def program(monkeypatch) -> report.Program:
    """The report's, where the first launch is refused."""
    real, refused = offline.compile_offline, []

    def one_refused(source, target):
        if refused:
            return real(source, target)
        refused.append(source.launch.entry)
        raise ToolchainError(f"Triton refused {source.launch.entry} for {target.name}: too odd")

    monkeypatch.setattr(offline, "compile_offline", one_refused)
    found = report.Report()
    explore(
        TWO_KERNELS,
        report.Options(device="cpu", target="sm_90", measure=False),
        lambda event: report.apply(found, event),
    )
    return found.programs[0]


def test_it_fails_its_stage_and_the_others_keep_their_machine_code(program) -> None:
    (failed,) = (s for s in program.stages if s.status == "failed")
    assert failed.name == "compile sm_90" and failed.summary.endswith("for sm_90: too odd")
    assert any(x.kind == "ptx" for x in failed.artifacts)
    shown = {x.kernel for x in failed.artifacts}
    assert shown and shown == {x.kernel for x in program.resources}
    assert not any(f"refused {name} " in failed.summary for name in shown)


def test_a_program_that_runs_on_the_cpu_has_not_failed(program) -> None:
    assert (program.status, program.error) == ("ok", None)
    assert program.numerics["core"].ok
