"""JAX's element types and ours."""

from typing import Any

import numpy as np

from compiler_core.capture.jax.symbols import dim_of
from compiler_core.errors import Unsupported
from compiler_core.interop.names import name_of
from compiler_core.interop.packed import REAL_OF_COMPLEX, is_complex, is_float8, is_key
from compiler_core.ir.types import DTYPES, U8, U32, DType, TensorType

# The narrowest supported type of each kind, named in remedies.
_INSTEAD = {"int": "jnp.int8", "uint": "jnp.uint8", "float": "jnp.float16"}


def dtype_of(dtype: Any) -> DType:
    """Our name of a numpy or JAX dtype. Raises Unsupported for one that the core does not have."""
    theirs = np.dtype(dtype).name
    name = name_of(theirs)
    if name is None:
        raise Unsupported(
            f"arrays of {theirs} are not compiled",
            remedy=f"use {_INSTEAD.get(theirs.rstrip('0123456789'), 'jnp.float32')} in its place",
        )
    return DTYPES[name]


def type_of(aval: Any) -> TensorType:
    """The type of an abstract value; that of its packed form (interop/packed.py) for a key, a
    complex array or one of 8-bit floats."""
    shape = tuple(map(dim_of, aval.shape))
    if is_key(aval):
        words = aval.dtype._impl.key_shape
        return TensorType(U32, (*shape, *words))
    if is_complex(aval):
        return TensorType(DTYPES[REAL_OF_COMPLEX[str(aval.dtype)]], (*shape, 2))
    return TensorType(U8 if is_float8(aval) else dtype_of(aval.dtype), shape)
