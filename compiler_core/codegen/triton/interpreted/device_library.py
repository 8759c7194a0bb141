"""What Triton's interpreter lacks: the device library's functions, and arithmetic on bf16.

The interpreter runs a kernel on the CPU, element by element in numpy (TRITON_INTERPRET=1). Only
then do these functions replace `triton.language.extra.libdevice`; each is the numpy or Python
function of the same meaning, in float64, rounded to the operand's type.
"""

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist
from typing import Any

import ml_dtypes
import numpy as np


def _elementwise(meaning: Callable[..., Any]) -> Callable[..., Any]:
    def function(*args: Any) -> Any:
        import triton.language as tl
        from triton.runtime.interpreter import TensorHandle

        first = next(a for a in args if isinstance(a, tl.tensor))
        arrays = [a.handle.data if isinstance(a, tl.tensor) else np.asarray(a) for a in args]
        with np.errstate(all="ignore"):
            result = np.asarray(meaning(*(a.astype(np.float64) for a in arrays)))
        data = result.astype(first.handle.data.dtype)
        # The interpreter keeps a number as an array of one element.
        if any(isinstance(a, tl.tensor) and a.type.is_block() for a in args):
            return tl.tensor(
                TensorHandle(data, first.dtype), tl.block_type(first.dtype, list(data.shape))
            )
        return tl.tensor(TensorHandle(data, first.dtype), first.dtype)

    return function


@cache
def mend() -> None:
    """Changes Triton's interpreter to compute what a GPU does. Unchanged, it stores bf16 as
    integers of the same bits without converting or multiplying them as numbers, and cannot make an
    unsigned integer of -1."""
    import triton.language as tl
    from triton.runtime.interpreter import InterpreterBuilder, TensorHandle, _get_np_dtype

    from compiler_core.codegen.triton.interpreted.quickly import quicken

    quicken()
    cast, multiply = InterpreterBuilder.cast_impl, InterpreterBuilder.create_dot

    def numbers(x: Any) -> Any:
        return x.data.view(ml_dtypes.bfloat16) if x.dtype.scalar == tl.bfloat16 else x.data

    def cast_impl(self: Any, x: Any, to: Any) -> Any:
        if tl.bfloat16 not in (x.dtype.scalar, to.scalar):
            return cast(self, x, to)
        dtype = ml_dtypes.bfloat16 if to.scalar == tl.bfloat16 else _get_np_dtype(to)
        with np.errstate(all="ignore"):
            data = numbers(x).astype(dtype)
        return TensorHandle(data.view(_get_np_dtype(to)), to.scalar)

    def create_dot(self: Any, a: Any, b: Any, *rest: Any) -> Any:
        upcast = (TensorHandle(numbers(x).astype(np.float32), tl.float32) for x in (a, b))
        own = (a, b) if a.dtype.scalar != tl.bfloat16 else upcast
        return multiply(self, *own, *rest)

    def all_ones(self: Any, kind: Any) -> Any:
        return TensorHandle(np.full(1, -1).astype(_get_np_dtype(kind)), kind.scalar)

    InterpreterBuilder.cast_impl = cast_impl
    InterpreterBuilder.create_dot = create_dot
    InterpreterBuilder.get_all_ones_value = all_ones


def _erfinv(x: float) -> float:
    if abs(x) >= 1 or math.isnan(x):
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    y = NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2)
    # (x + 1) / 2 has lost x's last bits where x is small.
    return y - (math.erf(y) - x) * math.sqrt(math.pi) / 2 * math.exp(y * y)


def _away_from_zero(x: Any) -> Any:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


atan2 = _elementwise(np.arctan2)
erfc = _elementwise(np.vectorize(math.erfc, otypes=[float]))
erfinv = _elementwise(np.vectorize(_erfinv, otypes=[float]))
expm1 = _elementwise(np.expm1)
fmod = _elementwise(np.fmod)
log1p = _elementwise(np.log1p)
# With a single exponent of 0.5 numpy takes a root, which has other zeros and infinities.
pow = _elementwise(lambda x, n: np.power(x, n + np.zeros_like(x)))  # noqa: A001  # libdevice's name
rint = _elementwise(np.rint)
round = _elementwise(_away_from_zero)  # noqa: A001  # libdevice's name
tan = _elementwise(np.tan)
tanh = _elementwise(np.tanh)
