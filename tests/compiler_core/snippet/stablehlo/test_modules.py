"""A StableHLO module as a snippet: what JAX lowers comes back as the same function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from compiler_core.errors import SnippetError
from compiler_core.report import is_module
from compiler_core.snippet.stablehlo.call import callable_of
from compiler_core.snippet.stablehlo.read import read
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

X = jnp.linspace(-2, 2, 24).reshape(4, 6)
I = jnp.asarray([0, 3, 1, 9])  # noqa: E741
IMAGE = jnp.linspace(-1, 1, 72).reshape(1, 2, 6, 6)
KERNEL = jnp.linspace(-1, 1, 36).reshape(2, 2, 3, 3)


def newton(x):
    return lax.while_loop(
        lambda s: s[1] < 4, lambda s: (s[0] - jnp.tanh(s[0]) / 2, s[1] + 1), (x, 0)
    )


FUNCTIONS = {
    "elementwise": lambda x: jnp.where(x > 0, jnp.exp(x), -x) + lax.erf(x).astype(jnp.bfloat16),
    "constants": lambda x: x + jnp.asarray([jnp.inf, -jnp.inf, jnp.nan, 0, -0.0, 1]),
    "bfloat16 constants": lambda x: x + jnp.asarray([1.5, jnp.inf, 2, 0, 1, 3], jnp.bfloat16),
    "complex constants": lambda x: jnp.abs(x + jnp.asarray([1 + 2j, 0, 1j, 3, 4, 5])),
    "views": lambda x: jnp.pad(x.T[::-1, 1:3].reshape(3, 4), ((1, 0), (0, 2))),
    "softmax": lambda x: jax.nn.softmax(x, -1),
    "argmax": lambda x: jnp.argmax(x, 1),
    "product": lambda x: jnp.einsum("ij,kj->ik", x, x),
    "descending": lambda x: jnp.sort(x, axis=0, descending=True),
    "two keys": lambda x: lax.sort((x > 0, x, x * 2), num_keys=2),
    "gather": lambda x: x[I],
    "scatter": lambda x: x.at[I].add(1.0, mode="drop"),
    "loop": newton,
    "branch": lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x),
    "scan": lambda x: jnp.cumsum(x, 0),
    "top": lambda x: lax.top_k(x, 2),
    "random": lambda x: x + jax.random.normal(jax.random.key(0), (4, 6)),
    "inner function": lambda x: jax.jit(lambda y: y * 2)(x) + jax.jit(lambda y: y * 2)(x),
}
IMAGES = {
    "convolution": lambda x: lax.conv(x, KERNEL, (1, 1), "SAME"),
    "pooling": lambda x: lax.reduce_window(
        x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"
    ),
}
IMAGES["pooling's gradient"] = jax.grad(lambda x: (IMAGES["pooling"](x) ** 2).sum())
CASES = [(f, X) for f in FUNCTIONS.values()] + [(f, IMAGE) for f in IMAGES.values()]


@pytest.mark.parametrize(("function", "x"), CASES, ids=[*FUNCTIONS, *IMAGES])
def test_a_lowered_function_comes_back_as_itself(function, x) -> None:
    text = jax.jit(function).lower(x).as_text()
    assert is_module(text)
    module = read(text)
    (main,) = module.public()
    got = jax.tree.leaves(jax.jit(callable_of(module, main))(x))
    for mine, its in zip(got, jax.tree.leaves(jax.jit(function)(x)), strict=True):
        assert mine.dtype == its.dtype
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(its))


MODULE = """\
module @jit_f {
  func.func public @f(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<4x6xf32> loc(#loc3)
    %1 = stablehlo.add %0, %arg0 : tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
}
#loc3 = loc("elsewhere.py":7:3)
"""


def test_a_module_is_a_snippet_whose_lines_are_its_operations() -> None:
    from compiler_core import capture

    (program,) = explore(MODULE).programs
    nodes = capture.capture(program).nodes
    assert [(n.op, n.line) for n in nodes] == [("tanh", 3), ("add", 4)]
    assert (program.name, program.line) == ("f", 2)


def test_inputs_that_a_module_does_not_need_are_said_to_be_unused() -> None:
    found = explore(MODULE, inputs="f32[2,2]")
    assert [n.text for n in found.notices if "f32[2,2]" in n.text]


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("stablehlo.tanh", "stablehlo.tang", 3, "tang"),
        ("tensor<4x6xf32> {", "tensor<4x5xf32> {", 5, "type"),
        ("stablehlo.tanh %arg0", "stablehlo.tanh %a", 3, "undeclared SSA value"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_sentence_with_its_line(before, after, line, said) -> None:
    with pytest.raises(SnippetError) as raised:
        read(MODULE.replace(before, after))
    failure = raised.value.failure()
    assert failure.line == line and said in failure.message
    assert "\n" not in failure.message


def test_another_compilers_custom_call_is_named_with_its_line() -> None:
    text = MODULE.replace(
        "stablehlo.tanh %arg0 : tensor<4x6xf32>",
        "stablehlo.custom_call @lapack(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>",
    )
    module = read(text)
    with pytest.raises(SnippetError, match="lapack is code of a library") as raised:
        callable_of(module, module.public()[0])(X)
    assert raised.value.failure().line == 3


@pytest.mark.parametrize(
    "text", ["import jax", "module = 3", "def f(x): return x", "# module\nx = 1"]
)
def test_python_is_no_module(text) -> None:
    assert not is_module(text)
