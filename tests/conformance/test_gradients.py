"""Programs that differentiate: by a backward pass, and twice."""

import torch

from compiler_core.capture.torch.dynamo import private
from conformance import gradients
from conformance.judge import judge
from conformance.sample import Sample


def cubed(x, scale=1.0):
    return x * x * x * scale, x.detach()


def argument():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_a_backward_pass_leaves_gradients():
    x = argument()
    gradients.backward(cubed, (argument(),), {})(x)
    weights = torch.cos(x.detach() ** 3) + 0.5
    torch.testing.assert_close(x.grad, 3 * x.detach() ** 2 * weights)


def test_twice_gives_gradients_of_gradients():
    x = argument()
    result, first, second = gradients.twice(cubed, (argument(),), {"scale": 2.0})(x, scale=2.0)
    weights = torch.cos(result) + 0.5
    torch.testing.assert_close(first, 6 * x.detach() ** 2 * weights)
    expected = 12 * x.detach() * weights * (torch.cos(first) + 0.5)
    torch.testing.assert_close(second, expected)


def test_a_linear_function_has_no_second_gradient():
    assert gradients.twice(lambda x: x * 2, (argument(),), {}) is None


def test_gradients_of_gradients_are_one_graph():
    private.forget()
    fn = gradients.twice(cubed, (argument(),), {})
    assert judge(Sample("cubed", "torch", fn, (argument(),))).kind == "native"
