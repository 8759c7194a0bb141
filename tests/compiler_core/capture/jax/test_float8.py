"""8-bit floats are their bytes: XLA's own conversions, bit by bit, and native."""

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

TYPES = pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
BYTES = np.arange(256, dtype=np.uint8)
_BITS = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint64).astype(np.uint32)
# Any f32, and the numbers around each that the types have, and between two of them.
EDGES = np.concatenate(
    [
        _BITS.view(np.float32),
        *(
            np.nextafter(BYTES.view(dtype).astype(np.float32) * np.float32(factor), towards)
            for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)
            for factor in (1.0, 1.0625, 1.125, 1.5)
            for towards in np.float32([-np.inf, 0, np.inf])
        ),
        np.float32([464, 448, -464, 57344, 61440, 1e30, np.inf, -np.inf, np.nan]),
    ]
)


def native(fn, *args):
    assert library_calls(agrees(captured("jax", fn, *args))) == []


@TYPES
def test_every_byte_is_its_number(dtype):
    def f(x):
        y = lax.bitcast_convert_type(x, jnp.dtype(dtype))
        return y.astype(jnp.float32), y.astype(jnp.bfloat16)

    native(f, BYTES)


@TYPES
def test_numbers_are_rounded_as_xla_rounds(dtype):
    native(lambda x: x.astype(dtype).astype(jnp.float32), EDGES)


@TYPES
def test_bytes_move_as_they_are(dtype):
    def f(x):
        y = x.astype(dtype).reshape(2, 8, 16)
        y = jnp.concatenate([y[::-1], jnp.pad(y[:, 1:], ((0, 0), (1, 0), (0, 0)))])[:, 1::2]
        return jnp.where(y > 0, y, jnp.array(1.5, dtype)), y.T

    native(f, np.linspace(-3, 3, 256, dtype=np.float32))


@TYPES
def test_products_of_them_are_of_their_numbers(dtype):
    def f(x, w):
        return lax.dot(x.astype(dtype), w.astype(dtype), preferred_element_type=jnp.float32)

    native(f, *(np.random.default_rng(i).normal(size=(16, 16)).astype(np.float32) for i in (0, 1)))


@TYPES
def test_arrays_of_them_go_in_and_out(dtype):
    x = jnp.linspace(-2, 2, 16).astype(dtype)
    native(lambda x, s: ((x.astype(s.dtype) * s).astype(dtype), x), x, np.float32(2))
