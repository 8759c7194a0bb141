"""A program is what the snippet called: with what its modules held then, and of trees what JAX
traces."""

import pytest

from compiler_core.capture import capture
from compiler_core.snippet import specs
from compiler_core.snippet.circumstances import set_back
from compiler_core.snippet.program import FoundProgram
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TORCH = "import torch\nfrom torch import nn\n"
JAX = "import jax\nimport jax.numpy as jnp\n"


def only(source: str) -> FoundProgram:
    (program,) = explore(source).programs
    return program


MERGED = """
class Merged(nn.Module):
    def __init__(self):
        super().__init__()
        self.merged, self.tag = False, "a"
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x if self.merged else x * self.weight

net = nn.Sequential(Merged(), nn.ReLU())
net(torch.ones(2, 3)).sum().backward()
net[0].merged = True
net(torch.ones(2, 3))
"""


def test_a_module_holds_what_it_held_when_it_was_called():
    program = only(TORCH + MERGED)
    assert [(name, was) for _, name, was in program.before] == [("merged", False)]
    with set_back(program.before):
        assert program.fn(*program.args).requires_grad
    assert not program.fn(*program.args).requires_grad


CONTEXT = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return again(ctx, g)

def again(ctx, g):
    (x,) = ctx.saved_tensors
    return g * 2 * x

def f(x):
    return Square.apply(x) + 1

torch.autograd.backward(f(torch.ones(3, requires_grad=True)).sum())
"""


def test_what_autograd_calls_with_its_own_notes_is_no_program():
    assert only(TORCH + CONTEXT).name == "f"


@pytest.mark.parametrize(
    ("head", "body", "given"),
    [
        ("layers, x", "layers[1](x * layers[0])", "[jnp.ones(3), jnp.sin], jnp.ones(3)"),
        ("p, x", "(p['w'] + x if p['by'] == 'add' else x, p)", "{'w': x, 'by': 'add'}, x"),
        ("p, *, x", "x.reshape(p['size'], -1) * p['w']", "{'size': 3, 'w': 2.0}, x=x"),
    ],
)
def test_of_a_tree_of_arrays_and_others_the_arrays_are_traced(head, body, given):
    text = f"x = jnp.arange(6.0)[:3]\ndef f({head}):\n    return {body}\nf({given})\n"
    captured = capture(only(JAX + text))
    assert len(captured.arguments) == 2 and len(captured.eager(captured.arguments)) in (1, 2)


def test_what_takes_many_lines_to_show_is_shown_by_its_type():
    text = "class Mask:\n    def __repr__(self):\n        return 'a\\nb'\nm = Mask()\n"
    found = explore(TORCH + text + "torch.compile(lambda x, m: x + 1)(torch.ones(3), m)\n")
    assert specs.shown(found.programs[0].args) == ["f32[3]", "Mask"]


RETYPED = """
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
net[0].again = net[0].weight
net(torch.ones(2, 3))
net.double()
"""


def test_a_module_has_the_type_that_it_had_when_it_was_called():
    program = only(TORCH + RETYPED)
    with set_back(program.before):
        assert program.fn(*program.args).dtype.itemsize == 4
        assert program.fn[0].again is program.fn[0].weight
        assert capture(program).arguments
    assert program.fn[0].weight.dtype.itemsize == 8


@pytest.mark.parametrize("cast", ["net.half()", "net.to(torch.bfloat16)", "net.double().float()"])
def test_of_any_cast(cast):
    program = only(TORCH + RETYPED.replace("net.double()", cast))
    with set_back(program.before):
        assert program.fn(*program.args).dtype.itemsize == 4


CONFIGURED = """
class Config:
    scale = 1.0

cfg = Config()

def f(x, cfg):
    return x * cfg.scale

f(torch.ones(2), cfg)
cfg.scale = 3.0
"""


def test_an_argument_holds_what_it_held_when_it_was_given():
    program = only(TORCH + CONFIGURED)
    with set_back(program.before):
        assert program.fn(*program.args).tolist() == [1.0, 1.0]
    assert program.fn(*program.args).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("bound", "body", "again"),
    [
        ("W = torch.ones(3, 5)", "x @ W", "W = torch.ones(5, 7)"),
        ("W = torch.ones(3, 5)", "x @ W", "del W"),
        ("net = nn.Linear(3, 5)", "net(x)", "net = nn.Linear(5, 7)"),
        ("def g(x):\n    return x @ W\nW = torch.ones(3, 5)", "g(x)", "W = torch.ones(5, 7)"),
        ("g = lambda x: x @ torch.ones(3, 5)", "g(x)", "g = torch.det"),
        ("class C:\n    W = torch.ones(3, 5)\nc = C()", "x @ c.W", "c = None"),
    ],
)
def test_a_name_stands_for_what_it_stood_for_when_the_program_was_called(bound, body, again):
    call = f"def f(x):\n    return {body}\ny = f(torch.ones(2, 3))\n{again}\n"
    program = only(f"{TORCH}{bound}\n{call}")
    with set_back(program.before):
        assert program.fn(*program.args).shape == (2, 5)
        assert capture(program).arguments
    with pytest.raises((RuntimeError, NameError, AttributeError)):
        program.fn(*program.args)


@pytest.mark.parametrize(
    "change",
    ["net[1] = nn.Linear(5, 7)", "net.append(nn.Linear(5, 7))", "net.insert(0, nn.Linear(3, 3))"],
)
@pytest.mark.parametrize("call", ["net", "f"])
def test_a_module_is_made_of_what_it_was_made_of_when_the_program_was_called(call, change):
    text = "net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5))\nf = lambda x: net(x)\n"
    program = only(f"{TORCH}{text}{call}(torch.ones(2, 3))\n{change}\n")
    with set_back(program.before):
        assert len(capture(program).arguments) == 5
        assert program.fn(*program.args).shape == (2, 5)


@pytest.mark.parametrize("call", ["f", "jax.jit(f)", "jax.jit(jax.grad(lambda x: f(x).sum()))"])
def test_so_it_does_in_what_jax_has_traced(call):
    text = f"lr = 0.5\ndef f(x):\n    return x * lr\ng = {call}\ng(jnp.ones(3))\nlr = 2.0\n"
    program = only(JAX + text)
    with set_back(program.before):
        captured = capture(program)
        assert captured.eager(captured.arguments)[0].tolist() == [0.5, 0.5, 0.5]
