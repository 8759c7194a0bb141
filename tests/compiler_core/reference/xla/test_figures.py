"""XLA's figures, counted in what it runs."""

from collections import Counter

import jax
import jax.numpy as jnp

from compiler_core.reference.xla import hlo, private
from compiler_core.reference.xla.figures import figures
from compiler_core.reference.xla.thunks import CONTROL, thunks_of


def rolled(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    def body(carry: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        return jnp.sin(carry) + carry.sum(0), carry.max()

    return jax.lax.scan(body, x, None, length=7)


def test_of_a_loop_the_launches_are_its_kernels_calls_and_copies() -> None:
    compiled = jax.jit(rolled).lower(jnp.ones((64, 128))).compile()
    found = figures(compiled, hlo.parse(compiled.as_text()))
    kinds = Counter(t.kind for t in thunks_of(private.serialized(compiled)))
    assert kinds["while"] == 1 and kinds["kernel"] > 1
    assert found.launches.value == sum(n for kind, n in kinds.items() if kind not in CONTROL)
    assert found.kernels.value == kinds["kernel"]
    assert found.library_calls.value == found.launches.value - kinds["kernel"] - kinds["copy"]
