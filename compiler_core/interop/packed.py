"""JAX values of types that the core does not have, as arrays of types that it has.

A PRNG key is the array of its words (u32); a complex number a pair of reals in a further, last
dimension; a floating-point number of 8 bits its byte (u8).
"""

from typing import Any

import jax

REAL_OF_COMPLEX = {"complex64": "f32", "complex128": "f64"}


def is_key(aval: Any) -> bool:
    """Whether an abstract value is of typed PRNG keys."""
    return bool(jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key))


def is_complex(aval: Any) -> bool:
    """Whether an abstract value is of complex64 or complex128."""
    return str(aval.dtype) in REAL_OF_COMPLEX


def is_float8(aval: Any) -> bool:
    """Whether an abstract value is of one of the floating-point types of 8 bits."""
    return str(aval.dtype).startswith("float8_")


def is_packed(aval: Any) -> bool:
    """Whether values of the abstract type are packed."""
    return is_key(aval) or is_complex(aval) or is_float8(aval)


def pack(value: Any, aval: Any) -> Any:
    """`value`, of the abstract type `aval`, as an array of a type that the core has."""
    if is_key(aval):
        return jax.random.key_data(value)
    if is_complex(aval):
        return jax.numpy.stack([value.real, value.imag], -1)
    if is_float8(aval):
        return jax.lax.bitcast_convert_type(value, jax.numpy.uint8)
    return value


def compared(value: Any) -> Any:
    """A JAX array in the form in which results are compared: packed, except 8-bit floats, which are
    compared as numbers."""
    aval = jax.typeof(value)
    return value if is_float8(aval) else pack(value, aval)


def unpack(array: Any, aval: Any) -> Any:
    """The inverse of `pack`."""
    if is_key(aval):
        return jax.random.wrap_key_data(array, impl=aval.dtype._impl.name)
    if is_complex(aval):
        return jax.lax.complex(array[..., 0], array[..., 1])
    if is_float8(aval):
        return jax.lax.bitcast_convert_type(array, aval.dtype)
    return array
