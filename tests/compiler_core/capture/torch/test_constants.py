"""What a program asks of values that it computes from constants is no decision by data."""

import pytest
import torch

from compiler_core.interop.arrays import to_torch_all
from compiler_core.pipeline.one_graph import compile_graph
from tests.compiler_core.capture.oracle import agrees, captured

pytestmark = pytest.mark.cpu
X = torch.linspace(-2, 2, 24).reshape(4, 6)
KEPT = torch.ones(3)


def rates(x):
    return [x * rate.item() for rate in torch.linspace(0.1, 0.5, 3)]


def decides(x):
    mask = torch.full((4, 4), float("-inf")).triu(1)
    return x * 2 if bool((mask == torch.triu(mask, 1)).all()) else x - 1


def written(x):
    steps = torch.zeros(3)
    steps[1].add_(2)
    steps += 1
    return x * float(steps.sum())


def compared(x):
    return x + 1 if torch.equal(torch.arange(3), torch.tensor([0, 1, 2])) else x - 1


@pytest.mark.parametrize("program", [rates, decides, written, compared])
def test_python_may_ask_for_it_within_one_graph(program):
    assert agrees(captured("torch", program, X)).session is None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_a_tensor_of_sixteen_bits_has_the_number_that_they_have(dtype):
    """And an operator the one that it is given: kernels compute in f32, as torch's do."""

    def program(x):
        return x * torch.full_like(x, 0.7), x + torch.tensor(0.1, dtype=dtype), x * 0.7

    found = captured("torch", program, X.to(dtype))
    given = to_torch_all(found.arguments)
    for ours, theirs in zip(compile_graph(found.whole, "cpu")(given), program(*given), strict=True):
        assert torch.equal(ours, theirs)


def of_data(x):
    return x * 2 if x[0, 0] > 0 else x - 1


def of_what_is_closed_over(x):
    return x * KEPT.sum().item()


def of_what_was_written_from_data(x):
    known = torch.zeros(2)
    known[0:1] = x[0, :1]
    return x * known.sum().item()


def of_chance(x):
    return x * 2 if torch.rand(()).item() < 2 else x


@pytest.mark.parametrize(
    "program",
    [of_data, of_what_is_closed_over, of_what_was_written_from_data, of_chance],
)
def test_what_another_call_may_answer_otherwise_ends_a_graph(program):
    assert captured("torch", program, X).session is not None
