"""A number that is given to jax.jit in another way than before, given as before."""

import pytest

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n"
JITTED = HEAD + "@jax.jit\ndef f(x, s):\n    return x * s\n"
NUMBER = "s is f32[], was f32[] (a Python number)"
ARRAY = "s is f32[] (a Python number), was f32[]"
WHOLE = "s is i32[] (a Python number), was f32[] (a Python number)"


def asked(source: str, differs: str, category: str = "weak") -> Changed | Refused | None:
    line = source.rstrip().count("\n") + 1
    what = f"`f` is traced again: {differs}"
    finding = Finding("traced again", "jax", what, line=line, category=category)
    return remedied(RemedyRequest(Text.parse(source), finding, "jax", "f", None))


@pytest.mark.parametrize(
    ("call", "differs", "category", "after"),
    [
        ("f(x, jnp.float32(2))", NUMBER, "weak", "f(x, 2.0)"),
        ("f(x, jnp.array(2.5))", NUMBER, "weak", "f(x, 2.5)"),
        ("f(x, s=np.float32(2.5))", NUMBER, "weak", "f(x, s=2.5)"),
        ("f(x, rates[0])", NUMBER, "weak", "f(x, float(rates[0]))"),
        ("y = f(x, 2.0) + 1", ARRAY, "weak", "y = f(x, jnp.float32(2.0)) + 1"),
        ("f(x, rate)", ARRAY, "weak", "f(x, jnp.float32(rate))"),
        ("f(x, 3)", WHOLE, "number", "f(x, 3.0)"),
        ("f(x, jnp.int32(3))", "s is i32[], was f32[] (a Python number)", "type", "f(x, 3.0)"),
    ],
)
def test_it_is_given_as_it_was_before(call, differs, category, after) -> None:
    found = asked(JITTED + call + "\n", differs, category)
    assert isinstance(found, Changed), found
    assert found.source == JITTED + after + "\n"


@pytest.mark.parametrize(
    ("made", "call", "after"),
    [
        ("step = jax.jit(f)", "step(x, jnp.float32(2))", "step(x, 2.0)"),
        ("", "jax.jit(f)(x, jnp.float32(2))", "jax.jit(f)(x, 2.0)"),
        ("g = jax.jit(lambda x, s: x * s)", "g(x, jnp.float32(2))", "g(x, 2.0)"),
    ],
)
def test_whatever_jit_made_is_found_by_the_name_that_it_has(made, call, after) -> None:
    body = "def f(x, s):\n    return x * s\n" if "lambda" not in made else ""
    head = HEAD + body + made + "\n"
    found = asked(head + call + "\n", NUMBER)
    assert isinstance(found, Changed), found
    assert found.source == head + after + "\n"


def test_a_number_with_a_point_is_made_no_whole_one() -> None:
    differs = "s is f32[] (a Python number), was i32[] (a Python number)"
    assert isinstance(asked(JITTED + "f(x, 2.5)\n", differs, "number"), Refused)


def test_of_arrays_that_differ_in_their_sizes_nothing_is_changed() -> None:
    assert asked(JITTED + "f(x, y)\n", "s is f32[4], was f32[5]", "shape") is None
