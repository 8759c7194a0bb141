"""Snippets that divide sizes that vary, or roll along them: compiled once, checked at three."""

import pytest

from tests.compiler_core.pipeline.varying import checked, explored, text
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]


_EVEN = "that is a multiple of 2"
# A program, which sizes one compilation of it serves, and the sizes that it is checked at.
QUOTIENTS = {
    "rows by fours": ("x.reshape(-1, 4, 64).sum(0)", "from 4 on that is a multiple of 4", (4, 148)),
    "the first half": ("x[:x.shape[0] // 2] * 2", "from 4 on", (4, 61)),
    "every other row": ("x[::2] * 2", "from 3 on", (3, 61)),
    "rows in pairs": ("x.view(x.shape[0] // 2, 2, 64)", f"from 2 on {_EVEN}", (2, 90)),
    "two rows in one": ("x.reshape(x.shape[0] // 2, 128) * 2", f"from 4 on {_EVEN}", (4, 90)),
    "windows over rows": ("F.max_pool2d(x[None, None], 3, 2, 1)", "from 2 on", (2, 61)),
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTIENTS)
def test_a_program_that_divides_a_size_is_compiled_once_and_says_for_which(name):
    expression, served, (least, more) = QUOTIENTS[name]
    result = explored(f"""
        # inputs: f32[B=32,64]
        import torch.nn.functional as F
        def f(x):
            return {expression}
    """)
    (program,) = result.programs
    assert program.status == "ok"
    assert [n.text for n in result.notices] == [
        f"f is compiled once for every B (32 in this call) {served}"
    ]
    assert "floordiv(B" in text(program, "ir")
    assert checked(program) == f"all within tolerance, also at B = {least} and at B = {more}"


def test_a_jax_program_that_divides_a_size_is_compiled_once():
    result = explored("""
        # inputs: f32[B=32,64]
        import jax.numpy as jnp
        def f(x):
            half = x.shape[0] // 2
            return jnp.tanh(x[:half]), x[1::2] + 1, x[half:].sum(0)
    """)
    (program,) = result.programs
    assert program.status == "ok" and "floordiv(B, 2)" in text(program, "ir")
    assert checked(program) == "all within tolerance, also at B = 2 and at B = 61"


# A program of JAX's, which sizes one compilation of it serves, and those that it is checked at.
JAX_MULTIPLES = {
    "rows by fives": ("x.reshape(-1, 5, 64).sum(0)", "from 5 on that is a multiple of 5", (5, 175)),
    "elements by tens": ("x.reshape(-1, 10).max(1)", "from 5 on that is a multiple of 5", (5, 175)),
    "parts": ("jnp.split(jnp.tanh(x), 2)[1]", "from 2 on that is a multiple of 2", (2, 88)),
    "rows in pairs": (
        "x.reshape(x.shape[0] // 2, 2, 64) * 2", "from 2 on that is a multiple of 2", (2, 88)
    ),
    "two divisions": (
        "(x.reshape(-1, 3, 64).sum(0), jnp.split(x, 2)[0] + 1)",
        "from 6 on that is a multiple of 6", (6, 204),
    ),
}  # fmt: skip


AS_OTHERS = {"rows by fives", "rows in pairs"}


@pytest.mark.parametrize("name", thinned(JAX_MULTIPLES, kept=JAX_MULTIPLES.keys() - AS_OTHERS))
def test_a_jax_program_whose_division_is_to_be_exact_is_compiled_once_for_multiples(name):
    expression, served, (least, more) = JAX_MULTIPLES[name]
    result = explored(f"""
        # inputs: f32[B=30,64]
        import jax.numpy as jnp
        def f(x):
            return {expression}
    """)
    (program,) = result.programs
    assert program.status == "ok"
    assert [n.text for n in result.notices] == [
        f"f is compiled once for every B (30 in this call) {served}"
    ]
    assert checked(program) == f"all within tolerance, also at B = {least} and at B = {more}"


def test_a_jax_division_that_is_not_exact_in_the_call_fails_as_in_jax():
    result = explored("""
        # inputs: f32[B=30,64]
        def f(x):
            return x.reshape(-1, 7, 64)
    """)
    assert all(p.status == "failed" for p in result.programs)


ROLLS = {
    "by one": "torch.roll(x, 1, 0)",
    "by more than the least": "torch.roll(x, -3, 0)",
    "by half": "torch.roll(x, x.shape[0] // 2, 0)",
    "along both": "torch.roll(x, (1, 2), (0, 1))",
    "all as one row": "torch.roll(x, 5)",
}


@pytest.mark.parametrize("name", ROLLS)
def test_a_roll_along_a_symbol_is_compiled_once(name):
    result = explored(f"""
        # inputs: f32[B=32,T=8]
        import torch
        def f(x):
            return {ROLLS[name]}
    """)
    (program,) = result.programs
    assert program.status == "ok" and "long B" in text(program, "c")
    assert checked(program).startswith("all within tolerance, also at B = ")
