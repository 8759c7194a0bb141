"""`cuda` in a run on the CPU means the CPU, and says so once a line."""

import pytest

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


@pytest.mark.parametrize(
    "line",
    [
        "x = torch.ones(2).cuda()",
        "x = torch.ones(2, device='cuda')",
        "x = torch.ones(2).to('cuda:0')",
        "x = torch.ones(2).to(device=torch.device('cuda'))",
        "x = torch.nn.Linear(2, 2).cuda().weight",
        "x = torch.nn.Linear(2, 2).to('cuda').weight",
        "torch.set_default_device('cuda'); x = torch.ones(2)",
        "torch.cuda.synchronize(); x = torch.ones(2)",
    ],
)
def test_cuda_is_the_cpu(line):
    found = explore(f"import torch\n{line}\nprint(x.device)\ntorch.compile(torch.sin)(x)\n")
    assert found.error is None
    assert found.stdout == "cpu\n"
    assert {n.line for n in found.notices} == {2}


def test_a_line_is_told_once():
    loop = "for _ in range(3):\n    x = torch.ones(2).cuda()\n"
    found = explore(f"import torch\n{loop}torch.compile(torch.sin)(x)")
    assert len(found.notices) == 1


def test_events_measure_with_the_clock():
    found = explore(
        """
        import torch
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        torch.compile(torch.sin)(torch.ones(2))
        end.record()
        print(start.elapsed_time(end) > 0)
        """
    )
    assert found.stdout == "True\n"


def test_a_snippet_that_does_not_name_cuda_gets_no_notice():
    source = "import torch\ntorch.manual_seed(0)\ntorch.compile(torch.sin)(torch.ones(2))"
    assert explore(source).notices == []
