"""The time that a look took."""

import time


def ms_since(begin: float) -> float:
    """Milliseconds since a time of time.perf_counter."""
    return (time.perf_counter() - begin) * 1e3
