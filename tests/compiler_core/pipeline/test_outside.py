"""What the framework runs itself, outside of every graph, is in the figures and is said."""

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

DISABLED = """# inputs: f32[4,8]
import torch

layers = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).eval()

@torch.compiler.disable
def apart(x):
    return layers(x)

def f(x):
    return apart(x + 1) * 2
"""


def explored(source: str) -> report.Report:
    options = report.Options(measure=False, device="cpu", target="sm_90")
    found = report.Report()
    explore(source, options, lambda event: report.apply(found, event))
    return found


def summary(source: str) -> report.Summary:
    (program,) = explored(source).programs
    assert program.status == "ok", program.error
    return program.summary


# What addmm and relu read and write: bias, x and weight, and the results, in f32.
BYTES = 4 * ((8 + 4 * 8 + 8 * 8 + 4 * 8) + (4 * 8 + 4 * 8))


def test_operations_outside_of_graphs_are_launches_and_bytes_of_both():
    found = summary(DISABLED)
    assert found.launches_outside == 2
    assert (found.launches_eager, found.launches_core) == (2 + 2, 2 + 2)
    assert found.bytes_core == BYTES + 2 * 4 * (4 * 8 + 4 * 8)
    assert found.native_share == 0.5


def test_what_of_the_model_is_in_no_graph_is_said():
    (notice,) = [n for n in explored(DISABLED).notices if "in no graph" in n.text]
    assert notice.text == (
        "2 operations of f are in no graph, and are run by PyTorch one by one: Sequential on line 8"
    )


NO_GRAPH = """# inputs: f32[4]
import torch

def f(x):
    for i in range(2):
        x = x * 2
        if x.sum() > 1e9:
            x = x.sin()
    return x
"""


def test_a_program_without_graphs_has_figures_all_the_same():
    expected = report.Summary(
        launches_eager=6, launches_core=6, launches_outside=6,
        bytes_eager=2 * (32 + 20 + 5), bytes_core=2 * (32 + 20 + 5),
    )  # fmt: skip
    assert summary(NO_GRAPH) == expected


TRAINS = """
import torch

layer = torch.nn.Linear(4, 2)

@torch.compile
def step(x):
    loss = layer(x).square().mean()
    loss.backward()
    return loss

step(torch.rand(8, 4))
"""


def test_what_autograd_adds_between_the_graphs_of_a_backward_pass_is_no_fallback():
    assert summary(TRAINS).launches_outside == 0
