"""JAX's element types and ours, and the arrays that carry what the IR has no type for.

A PRNG key travels as its words, a complex number as a pair: operations on them are library
calls, which put the value together and take it apart again.
"""

from typing import Any

import jax
import numpy as np

from compiler_core.errors import Unsupported
from compiler_core.ir.types import DTYPES, F32, F64, U32, DType, TensorType

_NAMES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8", "bool": "bool",
}  # fmt: skip
_PAIRS = {"complex64": F32, "complex128": F64}


def dtype_of(dtype: Any) -> DType:
    name = np.dtype(dtype).name
    if name not in _NAMES:
        raise Unsupported(
            f"arrays of {name} are not compiled", remedy="use a real type, such as jnp.float32"
        )
    return DTYPES[_NAMES[name]]


def is_key(aval: Any) -> bool:
    return bool(jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key))


def is_complex_as_real(aval: Any) -> bool:
    return is_key(aval) or str(aval.dtype) in _PAIRS


def type_of(aval: Any) -> TensorType:
    """The type of a value, or of the array that carries it."""
    shape = tuple(int(s) for s in aval.shape)
    if is_key(aval):
        words = aval.dtype._impl.key_shape
        return TensorType(U32, (*shape, *words))
    if str(aval.dtype) in _PAIRS:
        return TensorType(_PAIRS[str(aval.dtype)], (*shape, 2))
    return TensorType(dtype_of(aval.dtype), shape)


def pack(value: Any, aval: Any) -> Any:
    """The array that carries `value`."""
    if is_key(aval):
        return jax.random.key_data(value)
    if str(aval.dtype) in _PAIRS:
        return jax.numpy.stack([value.real, value.imag], -1)
    return value


def unpack(array: Any, aval: Any) -> Any:
    if is_key(aval):
        return jax.random.wrap_key_data(array, impl=aval.dtype._impl.name)
    if str(aval.dtype) in _PAIRS:
        return jax.lax.complex(array[..., 0], array[..., 1])
    return array
