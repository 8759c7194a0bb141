"""The call that the Inputs panel shows is one that it takes, as it is and with other sizes."""

import pytest

from compiler_core.snippet.called import call_text
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TORCH = """
import torch

def scaled(x, factor, bias=None, mode="sum"):
    return x * factor if bias is None else x * factor + bias

"""
COMPILED = (
    TORCH + "torch.compile(scaled)"
    "(torch.ones(4, 8), 3, bias=torch.ones(8, dtype=torch.complex64), mode='mean')\n"
)
NET = """
import torch

class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.scale

net = Net(16)
"""
JAX = "import jax\nimport jax.numpy as jnp\n\ndef loss(w, x):\n    return jnp.sum(x @ w['w'])\n\n"


def shown(source: str, **options) -> str:
    (program,) = explore(source, **options).programs
    return call_text(program)


def sizes(source: str, inputs: str) -> list[tuple[int, ...]]:
    (program,) = explore(source, inputs=inputs).programs
    given = (*program.args, *program.kwargs.values())
    return [tuple(x.shape) for x in given if hasattr(x, "shape")]


@pytest.mark.parametrize("source", [COMPILED, TORCH + "scaled(torch.ones(4, 8), 3, mode='mean')\n"])
def test_a_call_is_shown_with_its_numbers_and_taken_back(source: str) -> None:
    text = shown(source)
    assert text.startswith("scaled(f32[4,8], 3, ") and "'mean'" in text
    (again,) = explore(source, inputs=text).programs
    assert call_text(again) == text
    other = shown(source, inputs=text.replace("f32[4,8], 3", "f32[32,8], 2.5"))
    assert other == text.replace("f32[4,8], 3", "f32[32,8], 2.5")


def test_inputs_without_a_name_are_of_the_compiled_program_that_takes_so_many() -> None:
    assert sizes(COMPILED, "f32[2,8], 4") == [(2, 8)]


def test_a_tensor_of_the_size_that_it_has_keeps_its_values() -> None:
    source = TORCH + "torch.compile(scaled)(torch.full((4, 8), 7.0), 3)\n"
    (program,) = explore(source, inputs="scaled(f32[4,8], 5)").programs
    assert program.args[1] == 5 and bool((program.args[0] == 7).all())
    (drawn,) = explore(source, inputs="scaled(f32[4,8]~constant(2), 5)").programs
    assert bool((drawn.args[0] == 2).all())


@pytest.mark.parametrize(
    "call", ["torch.compile(net)(torch.ones(4, 16))", "net(torch.ones(4, 16))"]
)
def test_a_module_is_called_with_another_size_as_it_is(call: str) -> None:
    source = NET + "net.scale.data.fill_(3)\n" + call + "\n"
    assert shown(source) == "Net(f32[4,16])"
    (program,) = explore(source, inputs="Net(f32[B=8,16])").programs
    assert program.sizes == (("B", ""),) and float(program.fn.scale[0]) == 3


def test_what_the_panel_gives_a_module_is_shown_with_its_constructor() -> None:
    assert shown(NET.replace("net = Net(16)", ""), inputs="Net(8)(f32[4,8])") == "Net(8)(f32[4,8])"


def test_a_transformed_function_of_jax_and_its_tree_are_taken_back() -> None:
    source = JAX + "jax.grad(loss)({'w': jnp.ones((4, 2))}, jnp.ones((8, 4)))\n"
    assert shown(source) == "grad(loss)({'w': f32[4,2]}, f32[8,4])"
    text = "grad(loss)({'w': f32[4,2]}, f32[16,4])"
    (program,) = explore(source, inputs=text).programs
    assert call_text(program) == text and program.name == "grad(loss)"


def test_names_of_the_snippet_stand_for_its_objects_and_others_are_not_shown() -> None:
    body = "import torch\nclass Config:\n    n = 2\nconfig = Config()\n"
    body += "def f(x, c, dtype):\n    return (x * c.n).to(dtype)\n"
    named = body + "torch.compile(f)(torch.ones(4), config, torch.float16)\n"
    assert shown(named) == "f(f32[4], config, torch.float16)"
    assert sizes(named, "f(f32[9], config, torch.float16)") == [(9,)]
    assert shown(body + "torch.compile(f)(torch.ones(4), Config(), torch.float16)\n") == ""


def test_a_nested_tensor_has_no_spec() -> None:
    rows = "torch.nested.nested_tensor([torch.ones(3, 8), torch.ones(5, 8)], layout=torch.jagged)"
    assert shown(f"{TORCH}torch.compile(scaled)({rows}, 3)\n") == ""


def test_of_two_calls_of_one_name_each_is_taken_back() -> None:
    source = (
        TORCH + "torch.compile(scaled)(torch.ones(4), 2)\ntorch.compile(scaled)(torch.ones(6), 3)\n"
    )
    found = explore(source, inputs="scaled(f32[5], 2); scaled(f32[7], 3)").programs
    assert [p.args[0].shape[0] for p in found] == [5, 7]


def test_a_backward_pass_goes_with_another_size_where_it_begins_at_a_number() -> None:
    call = "net = torch.compile(net)\nx = torch.ones(4, 16, requires_grad=True)\n"
    number = NET.replace("x * self.scale", "(x * self.scale).sum()") + call + "net(x).backward()\n"
    (program,) = explore(number, inputs="Net(f32[8,16])").programs
    assert list(program.gradients) == [0] and program.args[0].requires_grad
    found = explore(NET + call + "net(x).sum().backward()\n", inputs="Net(f32[8,16])")
    assert not found.programs[0].gradients
    assert "without its backward pass" in found.notices[-1].text


def test_another_function_that_the_inputs_name_is_run_instead() -> None:
    found = explore(COMPILED + "def other(x):\n    return x + 1\n", inputs="other(f32[3])")
    assert [p.name for p in found.programs] == ["other"]


def test_inputs_that_fit_no_call_are_told_and_not_used() -> None:
    found = explore(COMPILED, inputs="f32[4], f32[4], f32[4], f32[4], f32[4]")
    assert [tuple(p.args[0].shape) for p in found.programs] == [(4, 8)]
    assert found.notices[-1].text.startswith("the inputs are not used")
