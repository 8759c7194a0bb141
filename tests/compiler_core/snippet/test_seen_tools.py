"""What a snippet gives to a transformation, or to a tool of either framework, is a program."""

import pytest

from tests.compiler_core.snippet.seeing import FUNCTION, JAX, TORCH, only, shapes
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


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
