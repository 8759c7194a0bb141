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


class Sample(msgspec.Struct, frozen=True):
    """The shape of an output, and some of its elements as numbers: "1.5", "nan", "-inf". A complex
    number is two numbers; true is 1. `sums` cover all elements: the output is divided into as many
    parts, and each part is summed with random signs and divided by the square root of its size, so
    that its error is of the size of an element's."""

    shape: list[int]
    values: list[str]
    sums: list[str] = []


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
    # eager's median / this one's, with the 95 % interval in which it is expected when everything is
    # measured anew; None for eager itself, for a time below the physical floor, and where nothing
    # was compiled.
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
    # The median by the device's own clock, between two of its events around the calls of a sample.
    # None on a CPU, and of what does not run on torch's stream (JAX, XLA).
    device_us: float | None = None


class Measurement(msgspec.Struct, frozen=True):
    """How the timings of a program were taken, and what they come to."""

    # What `eager` is, and so what every speedup is over: "PyTorch, operation by operation".
    baseline: str = ""
    # The compiler with the least median, eager among them, and those whose samples do not tell them
    # apart from it. Left out: a wrong result, and a time below the physical floor.
    fastest: list[str] = field(default_factory=list)
    rounds: int = 0
    # The parts with pauses between them that the rounds were taken in.
    blocks: int = 0
    # Seconds from the first sample to the last.
    seconds: float = 0.0
    threads: int = 0
    # The processors that the process may use, and how many of them others took meanwhile: other
    # processes, and what a hypervisor gave to other machines. None where it is not known.
    processors: int = 0
    others: float | None = None
    # Whether others took so much of the processors that the times are not the program's alone.
    busy: bool = False
    # The physical floor in microseconds, and what sets it: "120 MiB to be moved".
    floor_us: float = 0.0
    floor_by: str = ""
    # The measured maxima of the machine: bytes a second for what the program moves, and f32
    # operations a second; 0 where they were not measured.
    bandwidth: float = 0.0
    flops: float = 0.0
    # The rest of the protocol, one thing each: "one call a sample", "3 rounds of warm-up".
    notes: list[str] = field(default_factory=list)
