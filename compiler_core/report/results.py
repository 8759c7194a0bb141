"""Figures of a whole program: counts, numerical errors and times."""

from typing import Literal

import msgspec
from msgspec import field


class Summary(msgspec.Struct, frozen=True):
    """Counts over the whole program for eager and for the core; bytes are what launches read and
    write."""

    ops_captured: int = 0
    ops_final: int = 0
    launches_eager: int = 0
    launches_core: int = 0
    bytes_eager: int = 0
    bytes_core: int = 0
    # The share of launches that are generated kernels, matmuls and convolutions left out; 1.0 where
    # nothing fell back. Operations that the framework runs itself, where a function stayed in
    # Python, count as launches.
    native_share: float = 0.0
    # The launches, in both counts, that the framework makes itself, outside of any graph.
    launches_outside: int = 0


class Numerics(msgspec.Struct, frozen=True):
    """The largest error over all outputs against the same program in float64; None where it is not
    finite: an infinity or a NaN that only one of the two has."""

    max_abs_error: float | None
    max_rel_error: float | None
    ok: bool
    # The criterion of `ok`: "at most 2 x eager's error or the dtype's tolerance".
    rule: str = ""
    error: str = ""


class Timing(msgspec.Struct, frozen=True):
    """The times of one compiler, from interleaved samples: `_us` in microseconds, `_ms` in
    milliseconds."""

    median_us: float
    p25_us: float
    p75_us: float
    samples: int
    capture_ms: float | None = None
    compile_ms: float | None = None
    first_call_ms: float | None = None
    # eager's median / this one's, with the bootstrap's 95 % interval; None for eager itself.
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    # "wrong result" if the numerics are not ok, whatever the time; "not compiled" for the core if
    # no part of the program became a graph.
    verdict: Literal[
        "faster", "slower", "same within noise", "below the physical floor", "wrong result",
        "not compiled", "",
    ] = ""  # fmt: skip
    # The number of calls after which the time saved exceeds the compile time; None if it never
    # does.
    pays_after_calls: int | None = None
    samples_us: list[float] = field(default_factory=list)
