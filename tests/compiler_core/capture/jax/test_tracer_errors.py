"""What cannot be traced is said in one sentence, with its line and what to do instead."""

import pytest

from tests.compiler_core.reference.looking import looked

HEAD = """import numpy as np, jax, jax.numpy as jnp
kept = []
@jax.jit
def f(x):
"""


@pytest.mark.parametrize(
    ("error", "body", "why", "remedy"),
    [
        (
            "TracerBoolConversionError",
            "return x if x.sum() > 0 else -x",
            "no value that Python could choose by",
            "jnp.where",
        ),
        (
            "ConcretizationTypeError",
            "return x * float(x[0])",
            "no value that Python could make a number of",
            "keep the value an array",
        ),
        (
            "TracerArrayConversionError",
            "return np.sin(x)",
            "no value that Python could give to numpy",
            "jax.numpy instead of numpy",
        ),
        (
            "TracerIntegerConversionError",
            "return [1, 2, 3][x[0].astype(int)] * x",
            "could count or index by",
            "static",
        ),
        ("NonConcreteBooleanIndexError", "return x[x > 0]", "would depend on values", "jnp.where"),
        (
            "TypeError",
            "return x + jnp.zeros(x[0].astype(int))",
            "could make a shape of",
            "static_argnames",
        ),
        ("IndexError", "return x[: x[0].astype(int)]", "could cut a slice by", "dynamic_slice"),
        (
            "TypeError",
            "return jax.lax.scan(lambda c, _: (c.astype(jnp.float16), None), x, length=2)[0]",
            "but they differ: The input carry",
            "correct the program",
        ),
        (
            "UnexpectedTracerError",
            "return kept[0] + x if kept else kept.append(x * 2) or x",
            "",
            "return what a traced function computes",
        ),
    ],
)
def test_a_tracers_error_has_its_line_its_reason_and_a_remedy(
    error: str, body: str, why: str, remedy: str
) -> None:
    (program,) = looked(f"{HEAD}    {body}\nf(jnp.ones(3))").programs
    assert program.error is not None
    assert program.error.message.startswith(error)
    assert why in program.error.message
    assert program.error.line == 5
    assert remedy in program.error.remedy
