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
    """The number as an element of numpy's, rounded as the type of that name is."""
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(NUMPY[dtype])[()]
