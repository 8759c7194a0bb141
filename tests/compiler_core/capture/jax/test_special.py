"""JAX's special functions, those of bits, and reductions that are written as functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

X = np.concatenate([np.linspace(-9.3, 30, 60), [0.0, 1, 2, 3, -1, 1e5, np.nan]]).astype(np.float32)
POSITIVE = np.linspace(0.1, 30, 40).astype(np.float32)
WHOLE = np.array([0, 1, -1, 255, 77777, -(2**31)], np.int32)
M = np.random.RandomState(0).randn(6, 8).astype(np.float32)


def _tangents_of_windows(x):
    def largest(v):
        return lax.reduce_window(v, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID")

    return jax.jvp(largest, (x,), (x * 2,))[1]


PROGRAMS = {
    "lgamma": (lax.lgamma, X),
    "digamma": (lax.digamma, X),
    "polygamma": (lambda x: lax.polygamma(jnp.round(x) % 4, x), POSITIVE),
    "zeta": (lambda x: lax.zeta(x + 1.5, x), POSITIVE),
    "bessel_i0e": (lax.bessel_i0e, X),
    "bessel_i1e": (lax.bessel_i1e, X),
    "nextafter": (lambda x: lax.nextafter(x, x[::-1]), X),
    "bits": (lax.population_count, WHOLE),
    "bits of bytes": (lax.population_count, WHOLE.astype(np.uint8)),
    "leading zeros": (lax.clz, WHOLE),
    "leading zeros of bytes": (lax.clz, WHOLE.astype(np.uint8)),
    "bytes of numbers": (lambda x: lax.bitcast_convert_type(x, jnp.int8), M),
    "halves of whole numbers": (lambda x: lax.bitcast_convert_type(x, jnp.float16), WHOLE),
    "numbers of bytes": (
        lambda x: lax.bitcast_convert_type(x, jnp.float32),
        M.view(np.uint8).reshape(6, 8, 4),
    ),
    "igamma": (lambda x: lax.igamma(x, x[::-1]), POSITIVE),
    "igammac": (lambda x: lax.igammac(x, x[::-1]), POSITIVE),
    "betainc": (lambda x: lax.betainc(x, x[::-1], x / 31), POSITIVE[:30]),
    "gradient of gamma's samples": (lambda x: lax.random_gamma_grad(x, x[::-1]), POSITIVE),
    "product from 2": (lambda x: lax.reduce(x, np.float32(2), lax.mul, (1,)), M),
    "tangents of windows": (_tangents_of_windows, M),
    "on a device": (lambda x: jax.device_put(x) + 1, M),
    "the greatest, about": (lambda x: lax.approx_max_k(x, 3), M),
    "the least, about": (lambda x: lax.approx_min_k(x, 3, reduction_dimension=0), M),
    "the greatest of columns": (lambda x: lax.top_k(x, 3, axis=0), M),
    "gradient of lgamma": (jax.grad(lambda x: lax.lgamma(x).sum()), POSITIVE),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    function, x = PROGRAMS[name]
    assert library_calls(agrees(captured("jax", function, x))) == []


def test_a_reduction_of_pairs_is_jaxs():
    def program(x):
        start = (np.float32(0), np.float32(1))
        return lax.reduce((x, x + 1), start, lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,))

    assert library_calls(agrees(captured("jax", program, M))) == ["reduce"]
