"""The error for a program whose result has no tensor or array that could be compared."""

from collections.abc import Coroutine, Generator
from typing import Any

import numpy as np

from compiler_core.errors import CaptureError

# Results by type: the result in words, and the remedy.
_OTHERS: tuple[tuple[Any, str, str], ...] = (
    (Generator, "a generator, which has run nothing", "return all that it yields, as a tuple"),
    (Coroutine, "a coroutine, which has run nothing", "define it without async"),
    (
        np.ndarray | np.generic,
        "a numpy array",
        "compute with torch or jax.numpy: what numpy computes is in no graph",
    ),
)


def no_result(value: Any, wanted: str, line: int | None) -> CaptureError:
    """The error for a program whose result `value` has no `wanted` in it ("tensor" in PyTorch,
    "array" in JAX), so that nothing can be compared with the reference. `line` is the line of the
    snippet that the message names."""
    for kinds, words, remedy in _OTHERS:
        if isinstance(value, kinds):
            if isinstance(value, Generator | Coroutine):
                value.close()  # else Python warns that nobody has awaited it
            return CaptureError(f"the program returns {words}", line=line, remedy=remedy)
    return CaptureError(
        f"the program returns no {wanted}", line=line, remedy="return what it computes"
    )
