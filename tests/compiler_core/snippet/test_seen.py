"""What a snippet calls and does not compile is a program with the arguments of that call."""

import pytest

from compiler_core.capture import capture
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TORCH = "import torch\nfrom torch import nn\n"
JAX = "import jax\nimport jax.numpy as jnp\n"
FUNCTION = TORCH + "def f(x, k: int = 2):\n    return x * k\n"


def shapes(program):
    return [tuple(x.shape) for x in program.args if hasattr(x, "shape")]


def only(source, **options):
    (program,) = explore(source, **options).programs
    return program


def test_a_function_that_is_called():
    program = only(FUNCTION + "f(torch.ones(3))\nf(torch.ones(4))\n")
    assert (program.name, program.line, shapes(program)) == ("f", 3, [(3,)])
    assert program.args[1] == 2 and program.ran


def test_inputs_that_are_given_win():
    assert shapes(only(FUNCTION + "f(torch.ones(3), 2)\n", inputs="f32[7]")) == [(7,)]


def test_a_module_that_is_called_and_trained():
    program = only(
        TORCH
        + "model = nn.Linear(4, 2)\nloss = nn.MSELoss()\n"
        + "for _ in range(2):\n    loss(model(torch.ones(3, 4)), torch.zeros(3, 2)).backward()\n"
    )
    assert (program.name, shapes(program)) == ("Linear", [(3, 4)])
    assert list(program.gradients) == [0]


def test_what_gives_no_tensor_back_is_looked_into():
    program = only(
        FUNCTION + "def main(n):\n    y = f(torch.ones(n))\n    print(y.sum())\nmain(3)\n"
    )
    assert program.name == "f"


def test_an_autograd_function_that_is_applied():
    program = only(
        TORCH + "class Clipped(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x, low):\n"
        "        ctx.save_for_backward(x > low)\n        return x.clamp_min(low)\n"
        "    @staticmethod\n    def backward(ctx, g):\n"
        "        return g * ctx.saved_tensors[0], None\n"
        "clip = Clipped.apply\nx = torch.randn(8, requires_grad=True)\n"
        "for low in (0.0, 0.0):\n    clip(x, low).square().sum().backward()\n"
    )
    assert (program.name, program.line, shapes(program)) == ("Clipped", 5, [(8,)])
    assert list(program.gradients) == [0]
    assert len(capture(program).graphs) == 2  # forward and backward


def test_what_prepares_data_in_numpy_is_no_program():
    program = only(
        FUNCTION + "import numpy as np\ndef normed(a):\n    return (a - a.mean()) / a.std()\n"
        "f(torch.from_numpy(normed(np.arange(6.0))))\n"
    )
    assert program.name == "f"


@pytest.mark.parametrize("given", ["", "same(torch.ones(3), torch.ones(3))\n" * 2])
def test_what_asks_a_question_of_tensors_is_a_program_where_there_is_no_other(given):
    asking = "def same(a, b):\n    return torch.equal(a, b)\n" + given
    program = only(TORCH + asking)
    assert (program.name, program.ran) == ("same", bool(given))
    assert only(FUNCTION + "f(torch.ones(3))\n" + asking).name == "f"


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


def test_what_it_calls_itself_is_part_of_it():
    program = only(
        FUNCTION + "def g(x):\n    return f(x) + 1\ng(torch.ones(2))\nf(torch.ones(3))\n"
    )
    assert program.name in ("g", "f")


def test_a_function_of_keywords_and_a_varying_number_of_arguments():
    program = only(
        TORCH + "def f(*xs, scale=1):\n    return xs[0] * scale\nf(torch.ones(2), scale=3)\n"
    )
    assert (shapes(program), program.kwargs) == ([(2,)], {"scale": 3})


@pytest.mark.parametrize(
    ("head", "body", "given", "values"),
    [
        ("x, on=True", "x if on else -x", "jnp.ones(3)", (1,)),
        ("x, n", "jnp.zeros(n) + x.sum()", "jnp.ones(3), 4", (1,)),
        ("g, x", "g(x) + 1", "jnp.sin, jnp.ones(3)", (0,)),
        ("x, rate", "x * rate", "jnp.ones(3), 0.5", ()),
    ],
)
def test_flags_sizes_and_functions_are_values_to_what_jax_runs_as_python(head, body, given, values):
    program = only(f"{JAX}def f({head}):\n    return {body}\nf({given})\n")
    assert program.static_argnums == values and len(capture(program).graphs) == 1


def test_a_transformed_function_of_jax():
    program = only(JAX + "def f(x):\n    return (x ** 2).sum()\njax.grad(f)(jnp.ones(3))\n")
    assert (program.name, program.framework, program.line) == ("grad(f)", "jax", 3)


F = "def f(x):\n    return (x ** 2).sum()\n"
OF_TORCH = {
    "from torch.func import grad\ngrad(f)(torch.ones(3))": ("grad(f)", [(3,)]),
    "torch.func.vmap(torch.func.grad(f))(torch.ones(4, 3))": ("vmap(grad(f))", [(4, 3)]),
    "torch.vmap(f, in_dims=1)(torch.ones(4, 3))": ("vmap(f)", [(4, 3)]),
    "torch.func.hessian(f)(torch.ones(3))": ("jacfwd(jacrev(f))", [(3,)]),
}


@pytest.mark.parametrize("call", OF_TORCH)
def test_a_transformed_function_of_torch(call):
    found = explore(TORCH + F + call + "\n")
    (program,) = found.programs
    assert (program.name, shapes(program)) == OF_TORCH[call]
    assert found.notices == [] and bool((program.args[0] == 1).all())


def test_a_function_that_vjp_calls_has_its_arguments():
    found = explore(TORCH + F + "torch.func.vjp(f, torch.ones(3))\n")
    (program,) = found.programs
    assert program.name == "f" and program.args[0].tolist() == [1, 1, 1] and found.notices == []


def test_a_compiled_function_inside_a_transformation_gets_random_inputs():
    found = explore(TORCH + F + "torch.vmap(torch.compile(f))(torch.ones(4, 3))\n")
    assert shapes(found.programs[0]) == [(3,)]
    assert "its inputs here are random" in found.notices[0].text


TOOLS = {
    "from torch.export import export\nexport(M(), (torch.ones(3),))": ("torch", "M"),
    "torch.export.export(M(), args=(torch.ones(3),))": ("torch", "M"),
    "torch.jit.trace(f, torch.ones(3))": ("torch", "f"),
    "torch.jit.script(f)(torch.ones(3))": ("torch", "f"),
    "from torch.fx.experimental.proxy_tensor import make_fx\nmake_fx(f)(torch.ones(3))": (
        "torch", "f"),
    "jax.make_jaxpr(g)(jnp.ones(3))": ("jax", "g"),
    "jax.eval_shape(g, jax.ShapeDtypeStruct((3,), jnp.float32))": ("jax", "g"),
    "jax.jit(g).lower(jnp.ones(3)).compile()": ("jax", "g"),
    "jax.jit(g).trace(jax.ShapeDtypeStruct((3,), jnp.float32))": ("jax", "g"),
    "jax.pmap(g)(jnp.ones((1, 3)))": ("jax", "g"),
    "jax.pmap(jax.grad(lambda x: (x * x).sum()))(jnp.ones((1, 3)))": ("jax", "grad(lambda)"),
}  # fmt: skip


@pytest.mark.parametrize("call", TOOLS)
def test_what_a_tool_is_given_is_a_program(call):
    framework, name = TOOLS[call]
    definitions = {
        "torch": TORCH + "def f(x):\n    return x * 2\n"
        "class M(nn.Module):\n    def forward(self, x):\n        return x * 2\n",
        "jax": JAX + "def g(x):\n    return x * 2\n",
    }[framework]
    program = only(definitions + call + "\n")
    assert (program.name, program.framework, shapes(program)[0][-1]) == (name, framework, 3)


def test_tools_give_what_they_give_alone():
    found = explore(
        FUNCTION + "e = torch._dynamo.explain(f)(torch.ones(3))\nprint(e.graph_count)\n"
        "s = torch.jit.script(f)\nprint('mul' in str(s.graph))\n"
    )
    assert found.stdout == "1\nTrue\n"


WHO_HEARS = """\
import sys
heard = []
@jax.jit
def f(x):
    heard.append(sys.getprofile())
    return x + 1
f(jnp.ones(3))
"""


def test_calls_that_a_compiler_makes_are_not_listened_to():
    assert only(JAX + WHO_HEARS + "assert heard == [None] and sys.getprofile()\n").ran


def test_a_profile_function_of_the_snippet_hears_all():
    own = "import sys\ndef own(*_): pass\nsys.setprofile(own)\n"
    end = "assert heard == [own]\nsys.setprofile(None)\n"
    assert only(JAX + own + WHO_HEARS + end).ran


def test_python_of_the_snippet_runs_once():
    found = explore(FUNCTION.replace("return", "print('ran')\n    return") + "f(torch.ones(3))\n")
    assert found.stdout == "ran\n"


def test_donated_arrays_are_there_for_further_calls():
    program = only(JAX + "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nf(jnp.ones(3))\n")
    assert not program.args[0].is_deleted()


def test_each_object_of_a_decorated_class_is_compiled():
    program = only(
        TORCH + "@torch.compile\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.l = nn.Linear(4, 2)\n"
        "    def forward(self, x):\n        return self.l(x)\nNet()(torch.ones(3, 4))\n"
    )
    assert (program.name, shapes(program)) == ("Net", [(3, 4)])
    assert tuple(program.fn(program.args[0]).shape) == (3, 2)


def test_annotations_of_a_package_that_is_not_there_are_read():
    found = explore(
        "from jaxtyping import Float\nimport torch\n"
        'def f(x: Float[torch.Tensor, "batch 16"]) -> Float[torch.Tensor, "16"]:\n'
        "    return x.sum(0)\n"
    )
    assert found.programs[0].assumed == "f(f32[8,16])"


def test_numpy_is_told_so():
    from compiler_core.errors import NoProgramFound

    with pytest.raises(NoProgramFound, match="written in NumPy") as caught:
        explore("import numpy as np\ndef f(x):\n    return np.exp(x.foo)\n")
    assert "import jax.numpy as np" in caught.value.remedy


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
