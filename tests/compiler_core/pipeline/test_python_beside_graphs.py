"""What of a program Python runs beside its graphs: counted, timed, and said so."""

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from tests.compiler_core.pipeline.several import events_of, program_of

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

SKIPPED = """# inputs: f32[5,7]
import torch

def f(x):
    for i in range(3):
        x = x * 2
        if x[0, 0] > 1:
            x = x.sin()
    return x
"""


def test_a_function_that_dynamo_gives_up_is_checked_and_timed_as_python() -> None:
    program = program_of(SKIPPED, measure=True)
    assert program.kernels == [] and program.summary.native_share == 0.0
    assert program.numerics["core"].ok and program.timings["core"].samples >= 20
    core = program.timings["core"]
    assert core.verdict == "not compiled"
    assert (core.speedup, core.speedup_low, core.pays_after_calls) == (None, None, None)
    (segment,) = program.python
    assert (segment.first_line, segment.last_line) == (5, 9)
    assert "move it out of the loop" in segment.reason


def test_a_program_without_graphs_is_said_to_run_as_eager_does() -> None:
    events = events_of(SKIPPED, measure=True)
    (notice,) = [e.notice for e in events if isinstance(e, report.Noticed)]
    assert notice.level == "warning" and "runs in Python as eager does" in notice.text


def test_a_question_about_tensors_is_answered_in_python() -> None:
    source = "import torch\ndef same(a, b):\n    return torch.equal(a, b)\n"
    program = program_of(source + "same(torch.ones(3), torch.ones(3))\n")
    assert program.error is None and program.numerics["core"].ok and program.kernels == []


PARTLY = """# inputs: f32[5,7]
import torch

def head(x):
    return x.relu() + 1

def f(x):
    x = head(x)
    for i in range(2):
        x = x * 2
        if x[0, 0] > -9:
            x = x.sin()
    return x
"""


def test_what_runs_in_python_is_no_native_launch() -> None:
    """Of f's own operations torch launches x * 2, the comparison and the sine, twice; head is one
    kernel."""
    program = program_of(PARTLY)
    assert [k.lines for k in program.kernels if k.backend == "cpu"] == [[5]]
    assert program.summary.launches_core == 1 + 6
    assert program.summary.native_share == pytest.approx(1 / 7)


ASKS_WHO_RUNS_IT = """
import torch

def f(x):
    y = x * 2 if torch.compiler.is_compiling() else x * 3
    print("sum", y.sum().item())
    return torch.relu(y)

torch.compile(f)(torch.linspace(-1, 1, 24))
"""


def test_what_dynamo_makes_otherwise_is_said_to_be_dynamos() -> None:
    """A program that asks whether it is compiled is told so, and does something else."""
    program = program_of(ASKS_WHO_RUNS_IT)
    found = program.numerics["core"]
    (stage,) = [s for s in program.stages if s.name == "numerics"]
    assert "TorchDynamo's doing, not core's" in found.error
    assert stage.summary.startswith("not ok: core: TorchDynamo's doing")


def test_what_is_compiled_too_often_is_in_the_protocol_of_the_times() -> None:
    result = report.Report()
    source = """
import torch
state = {"calls": 0}
def f(x):
    state["calls"] += 1
    y = torch.relu(x)
    print("sum", y.sum().item())
    return y * 2 + 0 * state["calls"]
torch.compile(f)(torch.linspace(-1, 1, 24))
"""
    explore(source, report.Options(device="cpu"), lambda event: report.apply(result, event))
    (notice,) = [n for n in result.notices if "TorchDynamo has compiled" in n.text]
    said = f"the core's times are in part Python's: line {notice.line}, compiled no more"
    assert said in result.protocol
