"""New values for a program's arguments, from the values that they have.

A sample is drawn, with replacement, from the argument's own elements: what was positive stays
positive, a weight keeps its scale, a probability stays one. An argument whose elements are all
the same gets a little noise, or a wrong index would not show.
"""

from typing import Any

import numpy as np

_NOISE = 0.1


def resample(values: Any, generator: np.random.Generator) -> Any:
    """A new array of the type and shape of `values`, a float array."""
    flat = values.reshape(-1)
    if flat.size == 0:
        return values.copy()
    first = flat[0]
    if bool((flat == first).all()):
        scale = _NOISE * (abs(float(first)) or 1.0)
        noise = generator.random(flat.size, dtype=np.float32) * scale
        return (flat.astype(np.float64) + noise).astype(flat.dtype).reshape(values.shape)
    return flat[generator.integers(0, flat.size, flat.size)].reshape(values.shape)
