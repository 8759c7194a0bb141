"""Loops and branches over sizes that vary: compiled once, right at every size."""

import pytest

from tests.compiler_core.pipeline.varying import checked, explored, text
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

# By what they show: the inputs, and what is returned.
PROGRAMS = {
    "recurrent network over a batch": (
        "f32[5,N=8,16], f32[16,16]",
        "lax.scan(lambda h, v: (jnp.tanh(v + h @ y),) * 2, jnp.zeros(x.shape[1:]), x)",
    ),
    "its gradient": (
        "f32[5,N=8,16], f32[16,16]",
        """jax.grad(lambda w: lax.scan(lambda h, v: (jnp.tanh(v + h @ w), h.mean()),
            jnp.zeros(x.shape[1:]), x)[1].sum())(y)""",
    ),
    "as many steps as there are rows": (
        "f32[N=8,16]", "lax.scan(lambda c, row: (jnp.tanh(c + row), c), jnp.zeros(16), x)"
    ),
    "until it is small": (
        "f32[N=8,16]", "lax.while_loop(lambda v: jnp.abs(v).max() > 0.1, lambda v: v / 2, x)"
    ),
    "a number of steps": ("f32[N=8,16]", "lax.fori_loop(0, 3, lambda i, v: v * 0.9 + i, x)"),
    "one of two branches": (
        "f32[N=8,16], f32[16,16]",
        "lax.cond(x.sum() > 0, lambda v: jnp.tanh(v @ y) @ y, lambda v: v - v.mean(0), x)",
    ),
}  # fmt: skip


# As long as its gradient, and as it with a number of steps.
AS_OTHERS = {"recurrent network over a batch", "a number of steps"}


@pytest.mark.parametrize("name", thinned(PROGRAMS, kept=PROGRAMS.keys() - AS_OTHERS))
def test_control_flow_of_jax_over_a_size_with_a_name_is_compiled_once(name):
    inputs, expression = PROGRAMS[name]
    result = explored(f"""
        # inputs: {inputs}
        import jax, jax.numpy as jnp
        from jax import lax
        def f(x, y=None):
            return {expression}
    """)
    (program,) = result.programs
    assert program.status == "ok", program.error
    once = "f is compiled once for every N (8 in this call) from 2 on"
    assert [n.text for n in result.notices] == [once]
    assert "long N" in text(program, "c")
    assert checked(program) == "all within tolerance, also at N = 2 and at N = 37"


def test_a_loop_that_calls_a_library_says_that_it_is_compiled_for_numbers():
    result = explored("""
        # inputs: f32[N=8,6,6]
        import jax.numpy as jnp
        from jax import lax
        def f(x):
            return lax.fori_loop(0, 2, lambda i, v: jnp.linalg.inv(v + jnp.eye(6) * 9), x)
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[8,6,6]"]
    assert any("of this call alone: " in n.text and "scan: " in n.text for n in result.notices)
