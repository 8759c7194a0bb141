"""What is used of JAX without its promise, by name: what fails here is to be looked for in JAX's
changes."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from compiler_core.reference.jax import private


def test_the_functions_of_transformations_have_the_names_that_are_looked_for() -> None:
    met: set[str] = set()

    def event(frame, kind, _) -> None:
        if kind == "call" and Path(frame.f_code.co_filename).name in private.FILES:
            met.add(frame.f_code.co_qualname)

    x = np.ones(3, "float32")
    rule = jax.custom_vjp(jnp.sin)
    rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (g,))
    tangent = jax.custom_jvp(jnp.sin)
    tangent.defjvp(lambda p, t: (p[0], t[0]))

    def program(x):
        jax.jvp(jnp.sin, (x,), (x,)), jax.vjp(jnp.sin, x), rule(x), tangent(x)
        jax.jacfwd(jnp.sin)(x), jax.jacrev(jnp.sin)(x), jax.vmap(jnp.sin)(x)
        jax.grad(lambda x: (x.sum(), x), has_aux=True)(x)
        return jax.grad(lambda x: jax.checkpoint(jnp.sin)(x).sum())(x)

    sys.setprofile(event)
    try:
        jax.make_jaxpr(program)(x)
    finally:
        sys.setprofile(None)
    assert {*private.TRANSFORMS, *private.GRAD} <= met


def test_residuals_say_their_type_and_their_origin() -> None:
    found = private.residuals(lambda x: jnp.exp(x).sum(), np.ones(3, "float32"))
    assert [(aval.shape, said.split(" from ")[0]) for aval, said in found] == [
        ((3,), "output of exp")
    ]


def test_what_cannot_be_differentiated_keeps_nothing() -> None:
    assert private.residuals(lambda x: x, "a text") == []


def test_jax_says_why_it_traces_and_is_silent_afterwards(logged) -> None:
    f = jax.jit(lambda x: x + 1)
    with private.explained() as said:
        f.trace(np.ones(3, "float32"))
        f.trace(np.ones(3, "float32"))
        f.trace(np.ones(4, "float32"))
    first, second = said
    assert "never seen function" in first and "now f32[4] and before f32[3]" in second
    f.trace(np.ones(5, "float32"))
    assert len(said) == 2 and not logged
