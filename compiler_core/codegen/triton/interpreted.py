"""The device library's functions for Triton's interpreter, which has none.

The interpreter runs a kernel on the CPU, element by element in numpy (TRITON_INTERPRET=1). Only
then do these functions replace `triton.language.extra.libdevice`; each is the numpy or Python
function of the same meaning, in float64, rounded to the operand's type.
"""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

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
