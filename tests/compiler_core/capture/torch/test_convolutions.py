"""torch's convolutions, forwards and backwards, are convolutions of the IR."""

import itertools

import pytest
import torch
from torch import nn

from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.sweep_plugin import thinned

torch.manual_seed(0)

# stride, padding, dilation, groups, transposed, output padding
NUMBERS = [
    (stride, padding, dilation, groups, transposed, more)
    for stride, padding, dilation, groups, transposed, more in itertools.product(
        (1, 2, 3), (0, 2), (1, 2), (1, 2, 4), (False, True), (0, 1)
    )
    if not more or (transposed and stride > 1)
]


def operands(rank: int, groups: int, transposed: bool) -> tuple[torch.Tensor, torch.Tensor]:
    window = (3, 2)[:rank]
    sizes = (4, 8 // groups) if transposed else (8, 4 // groups)
    return torch.randn(2, 4, *(9, 8)[:rank]), torch.randn(*sizes, *window)


@pytest.mark.parametrize("numbers", NUMBERS, ids=str)
def test_forwards(numbers):
    stride, padding, dilation, groups, transposed, more = numbers
    x, w = operands(2, groups, transposed)

    def f(x, w, bias):
        return torch.convolution(
            x, w, bias, [stride], [padding] * 2, [dilation] * 2, transposed, [more] * 2, groups
        )

    result = agrees(captured("torch", f, x, w, torch.randn(8)))
    assert library_calls(result) == []


# A stride of three goes the way of two, and one dimension that of two.
BACKWARDS = list(itertools.product(NUMBERS, (1, 2)))
KEPT = [x for x in BACKWARDS if x[0][0] < 3 and (x[1] == 2 or x[0] in NUMBERS[::6])]


@pytest.mark.parametrize(("numbers", "rank"), thinned(BACKWARDS, KEPT), ids=str)
def test_backwards(numbers, rank):
    stride, padding, dilation, groups, transposed, more = numbers
    x, w = operands(rank, groups, transposed)
    rest = (
        [stride] * rank, [padding] * rank, [dilation] * rank, transposed, [more] * rank, groups
    )  # fmt: skip
    grad = torch.randn_like(torch.convolution(x, w, None, *rest))

    def f(grad, x, w):
        return torch.ops.aten.convolution_backward(grad, x, w, [8], *rest, [True] * 3)

    result = agrees(captured("torch", f, grad, x, w))
    assert library_calls(result) == []
    assert [o.op for o in result.graph.operations].count("convolution") == 2


@pytest.mark.parametrize(
    "wanted", [(True, False, False), (False, True, False), (False, True, True)]
)
def test_gradients_that_nobody_wants_are_not_computed(wanted):
    x, w = operands(2, 1, False)
    numbers = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    grad = torch.randn_like(torch.convolution(x, w, None, *numbers))

    def f(grad, x, w):
        result = torch.ops.aten.convolution_backward(grad, x, w, [8], *numbers, wanted)
        return [each for each in result if each is not None]

    result = agrees(captured("torch", f, grad, x, w))
    assert len(result.graph.outputs) == sum(wanted)


MODULES = {
    "same": (nn.Conv2d(4, 6, 3, padding="same"), (2, 4, 7, 9)),
    "same-even": (nn.Conv2d(4, 6, (2, 4), padding="same", dilation=2), (2, 4, 7, 9)),
    "circular": (nn.Conv1d(4, 6, 3, padding=1, padding_mode="circular"), (2, 4, 9)),
    "line": (nn.Conv1d(4, 6, 5, stride=2), (2, 4, 11)),
    "volume": (nn.Conv3d(2, 4, 3, padding=1), (1, 2, 4, 5, 6)),
    "no-batch": (nn.Conv2d(4, 6, 3), (4, 7, 9)),
    "up": (nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1), (2, 4, 5, 6)),
    "up-line": (nn.ConvTranspose1d(4, 6, 4, stride=2, groups=2), (2, 4, 5)),
    "up-volume": (nn.ConvTranspose3d(2, 3, 2, stride=2), (1, 2, 3, 3, 4)),
}


@pytest.mark.parametrize("name", MODULES)
def test_modules(name):
    module, shape = MODULES[name]
    result = agrees(captured("torch", module.eval(), torch.randn(shape)))
    assert library_calls(result) == []


def test_half_precision_is_summed_in_single():
    x, w = (t.bfloat16() for t in operands(2, 1, False))
    result = agrees(captured("torch", nn.functional.conv2d, x, w))
    assert result.graph.outputs[0].type.dtype.name == "bf16"


def test_a_training_step_has_convolutions_in_both_directions():
    module = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 2, 3, stride=2))

    def step(x):
        module.zero_grad()
        module(x).square().sum().backward()
        return [p.grad for p in module.parameters()]

    result = agrees(captured("torch", step, torch.randn(2, 3, 8, 8)))
    ops = [o.op for each in result.graphs for o in each.graph.operations]
    # Nobody wants the gradient of the step's input.
    assert ops.count("convolution") == 5 and library_calls(result) == []


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("bias", [None, torch.ones(4)], ids=["plain", "bias"])
def test_of_no_input_channels_has_no_elements_as_in_torch(rank, bias):
    x, w = torch.zeros(2, 0, *[6] * rank), torch.zeros(4, 0, *[3] * rank)
    conv = (nn.functional.conv1d, nn.functional.conv2d, nn.functional.conv3d)[rank - 1]
    result = agrees(captured("torch", lambda x, w: conv(x, w, bias), x, w))
    assert result.graph.outputs[0].type.shape == (2, 0, *[4] * rank)


def test_the_gradients_of_no_input_channels_are_zero():
    bias = torch.ones(4, requires_grad=True)

    def step(x, w):
        nn.functional.conv2d(x, w, bias).sum().backward()
        return x.grad, w.grad, bias.grad

    agrees(captured("torch", step, *(torch.zeros(n, 0, 6, 6).requires_grad_() for n in (2, 4))))
