"""The element types as numpy's, which are JAX's too."""

from typing import Any

import ml_dtypes
import numpy as np

from compiler_core.interop.names import NAMES

NUMPY: dict[str, Any] = {
    ours: np.dtype(ml_dtypes.bfloat16 if theirs == "bfloat16" else theirs)
    for ours, theirs in NAMES.items()
}


def in_type(value: float, dtype: str) -> Any:
    """The number as a numpy scalar of the element type named `dtype`, rounded to its precision."""
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(NUMPY[dtype])[()]
