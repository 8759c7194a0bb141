"""Triton's interpreter, repaired where it computes otherwise than a GPU: it holds bf16 as bits and
knows how to make f32 of these only, it cannot write all ones in an unsigned type, and sums of
integers do not wrap."""

from typing import Any

import numpy as np


def repair() -> None:
    """In this process, which interprets."""
    import triton.language as tl
    from triton.runtime.interpreter import (
        InterpreterBuilder,
        ReduceOps,
        TensorHandle,
        _get_np_dtype,
    )

    cast, dot = InterpreterBuilder.cast_impl, InterpreterBuilder.create_dot

    def cast_impl(self: Any, src: Any, to: Any) -> Any:
        """Between bf16 and any other type by way of f32."""
        one, other = src.dtype.scalar, to.scalar
        if one != other and tl.bfloat16 in (one, other) and tl.float32 not in (one, other):
            src = cast(self, src, tl.float32)
        return cast(self, src, to)

    def create_dot(self: Any, a: Any, b: Any, *more: Any) -> Any:
        """Of bf16 as of f32: products are exact in it, and that is what they are summed in."""
        wide = (cast(self, x, tl.float32) if x.dtype.scalar == tl.bfloat16 else x for x in (a, b))
        return dot(self, *wide, *more)

    def get_all_ones_value(self: Any, type_: Any) -> Any:
        dtype = np.dtype(_get_np_dtype(type_))
        ones = True if dtype == np.bool_ else ~dtype.type(0)
        return TensorHandle(np.full(1, ones, dtype), type_.scalar)

    def wrapping_sum(self: Any, x: Any) -> Any:
        """numpy sums small integers in 64 bits."""
        data = x.handle.data
        total = np.sum(data, axis=self.axis, keepdims=self.keep_dims, dtype=data.dtype)
        return self.to_tensor(total, x.dtype)

    ReduceOps.sum = wrapping_sum
    InterpreterBuilder.cast_impl = cast_impl
    InterpreterBuilder.create_dot = create_dot
    InterpreterBuilder.get_all_ones_value = get_all_ones_value
