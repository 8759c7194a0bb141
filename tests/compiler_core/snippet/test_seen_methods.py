"""Modules, and objects of other classes, are programs by those of their methods that are called."""

import pytest

from tests.compiler_core.snippet.seeing import JAX, TORCH, only, shapes
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


FLOW = (
    TORCH
    + """
class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)
        self.start = self.noise(2)
    def noise(self, n):
        return torch.randn(n, 2)
    def forward(self, x):
        return self.net(x)
    def log_prob(self, x):
        return -(self(x) ** 2).sum(1)
    @torch.no_grad()
    def sample(self, n):
        return self.net(self.noise(n))
    def walk(self, x, n):
        for _ in range(n):
            x = self(x)
        return x
flow = Flow()
"""
)


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        ("flow.log_prob(torch.ones(3, 2)).sum().backward()", ["log_prob"]),
        ("flow.log_prob(torch.ones(3, 2))\nflow.sample(4)", ["log_prob", "sample"]),
        ("flow.forward(torch.ones(3, 2))", ["Flow"]),
        ("def train():\n    print(flow.log_prob(torch.ones(3, 2)).sum())\ntrain()", ["log_prob"]),
    ],
)  # fmt: skip
def test_methods_of_a_module_are_programs_as_its_forward_is(calls, names):
    assert [p.name for p in explore(FLOW + calls + "\n").programs] == names


@pytest.mark.parametrize("before", ["", "flow.noise(3)\n"])
def test_what_a_module_makes_of_nothing_is_no_program(before):
    assert only(FLOW + before + "flow(torch.ones(3, 2))\n").name == "Flow"


def test_a_module_that_is_called_without_tensors_is_a_program_of_its_parameters():
    source = (
        "class Kernel(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.decay = nn.Parameter(torch.rand(4))\n    def forward(self, L):\n"
        "        return torch.exp(-self.decay[:, None] * torch.arange(L))\n"
        "kernel = Kernel()\nk = kernel(L=100)\n"
    )
    found = only(TORCH + source)
    assert (found.name, found.args, found.kwargs) == ("Kernel", (), {"L": 100})


def test_a_method_that_loops_around_the_module_is_looked_into():
    assert only(FLOW + "flow.walk(torch.ones(3, 2), 9)\n").name == "Flow"
    assert only(FLOW + "flow.walk(torch.ones(3, 2), 2)\n").name == "walk"


def test_of_a_loop_around_the_module_it_is_said_that_it_stays_in_python():
    found = explore(FLOW + "flow.walk(torch.ones(3, 2), 9)\n")
    (said,) = found.notices
    assert said.text.startswith("`walk` calls `Flow` 9 times, with Python between the calls")
    assert said.line == FLOW.splitlines().index("    def walk(self, x, n):") + 1


OBJECTS = (
    TORCH
    + """
class Schedule:
    def __init__(self):
        self.scale = torch.ones(3)
    def noisy(self, x):
        return x * self.scale
class Descent(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {})
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-0.1)
schedule, w = Schedule(), nn.Parameter(torch.ones(3))
loss = (w * w).sum()
loss.backward()
Descent([w]).step()
"""
)


def test_a_step_of_an_optimizer_by_hand_is_a_program_where_there_is_no_other():
    assert only(OBJECTS).name == "step"


def test_an_optimizer_need_not_be_one_of_torchs():
    by_hand = OBJECTS.replace("(torch.optim.Optimizer)", "").replace(
        "super().__init__(params, {})", 'self.param_groups = [{"params": params}]'
    )
    assert only(by_hand).name == "step"


def test_methods_of_other_objects_are_programs_where_nothing_else_is():
    program = only(OBJECTS + "schedule.noisy(torch.ones(3))\n")
    assert (program.name, shapes(program)) == ("noisy", [(3,)])
    assert only(OBJECTS + "schedule.noisy(nn.Linear(2, 3)(torch.ones(2)))\n").name == "Linear"


CALLABLE = (
    TORCH
    + """
class Neurons:
    def __init__(self, n):
        self.w = torch.randn(n, requires_grad=True)
    def __call__(self, x):
        return (x * self.w).tanh()
class Stack:
    def __init__(self):
        self.layers = [Neurons(3), Neurons(3)]
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
stack = Stack()
"""
)


@pytest.mark.parametrize("of_result", ["", ".mean().backward()"])
def test_an_object_that_is_called_is_a_program_with_those_that_it_calls(of_result):
    program = only(f"{CALLABLE}stack(torch.ones(2, 3)){of_result}\n")
    assert (program.name, shapes(program)) == ("Stack", [(2, 3)]) and program.ran


def test_each_object_of_a_decorated_class_is_compiled():
    program = only(
        TORCH + "@torch.compile\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.l = nn.Linear(4, 2)\n"
        "    def forward(self, x):\n        return self.l(x)\nNet()(torch.ones(3, 4))\n"
    )
    assert (program.name, shapes(program)) == ("Net", [(3, 4)])
    assert tuple(program.fn(program.args[0]).shape) == (3, 2)


GRADS = """
class Net:
    def __init__(self):
        self.w = jnp.ones(3)
    def loss(self, w, x):
        return jnp.sum(jnp.tanh(w * x) ** 2)
    def fit(self, x):
        for _ in range(3):
            self.w = self.w - 0.1 * jax.grad(self.loss)(self.w, x)
net = Net()
net.fit(jnp.ones(3))
by_x = jax.grad(net.loss, 1)(net.w, jnp.ones(3))
"""


def test_what_is_differentiated_in_each_step_is_one_program():
    found = explore(JAX + GRADS)
    assert [p.name for p in found.programs] == ["grad(loss)", "grad(loss) (2)"]


CONSTRUCTED = """
import torch
def angles(x):
    return x.sin() * 2
class Net(torch.nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.register_buffer("table", angles(torch.arange(float(size))))
    def forward(self, x):
        return x * self.table
net = Net()
"""


@pytest.mark.parametrize(("more", "name"), [("", "net"), ("angles(net.table)\n", "angles")])
def test_what_a_module_computes_while_it_is_made_is_no_program(more, name):
    assert only(CONSTRUCTED + more).name == name
