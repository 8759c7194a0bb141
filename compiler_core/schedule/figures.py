"""What a processor does in a microsecond: the constants of the cost model of loops (model.py).

All of them are measured. `python -m compiler_core probe` runs small kernels of the compiler's own
on a machine and fits the constants to their times (measure/probe.py); those of named machines are
recorded in figures.json, by processor and number of threads. A worker on another machine measures
its own when it starts, and passes them on in FUSELAB_FIGURES. Without either, the model uses the
first recorded figures, and says so.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import msgspec

from compiler_core.ir.types import BF16, F16, DType

# Bandwidths that differ by less than this factor are the same one, measured twice.
_FASTER = 1.25
RECORDED = Path(__file__).with_suffix(".json")
VARIABLE = "FUSELAB_FIGURES"


@dataclass(frozen=True, slots=True)
class Level:
    """The bandwidth of working sets of at most `nbytes`: bytes that one core and that all of them
    move in a microsecond."""

    nbytes: int
    alone: float
    shared: float

    def moving_us(self, nbytes: float, *, shared: bool) -> float:
        """Microseconds to move `nbytes` of such a working set, by all cores if `shared`, else by
        one."""
        return nbytes / (self.shared if shared else self.alone)


@dataclass(frozen=True, slots=True)
class Curve:
    """What was measured at some numbers of elements, in their order, and lines in between; beyond
    the last, what an element takes there."""

    elements: tuple[int, ...]
    measured_us: tuple[float, ...]

    def us(self, elements: float) -> float:
        """Microseconds of so many elements."""
        known = list(zip(self.elements, self.measured_us, strict=True))
        if elements >= known[-1][0]:
            return known[-1][1] * elements / known[-1][0]
        at = next(i for i, (n, _) in enumerate(known) if elements <= n)
        (few, least), (many, most) = known[max(0, at - 1)], known[at]
        share = (elements - few) / (many - few) if many > few else 0.0
        return least + (most - least) * share


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one core; `Level.shared` and `waking_us` are those of all `cores` of a
    process.

    `ops`: elementwise f32 operations of weight 1 (an add) in vectors, in a microsecond. `weights`:
    the weights, by name, of operations whose weight differs from that in the table of operations
    (ir/ops/); `converted`: that of reading or writing a bf16; `converted_f16`: that of an f16, 0
    for the same. `scanned`, `tupled`: the
    weights of combining an element of a scan, and of a reduction of tuples. Times in microseconds:
    `call_us` to call a function and begin its loops; `waking_us` for threads that are awake to
    begin a loop together and wait for each other; `row_us` to combine a row's accumulators at the
    end of a pass over it; `gathered_us` and `updated_us` to read an element at a computed place,
    and to combine one with what is there. `vectors`: the times of products of a matrix and a vector
    over the elements of the matrix, by what computes them (plan/cpu/vectors.py); empty where none
    were measured.
    """

    # Where they are from, as a noun: "two AMD Zen 5 cores".
    machine: str
    cores: int
    ops: float
    levels: tuple[Level, ...]
    waking_us: float
    call_us: float
    row_us: float
    scanned: float
    tupled: float
    gathered_us: float = 0.0
    updated_us: float = 0.0
    converted: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    busy: bool = False
    # Whether they are of this machine, or of one like it.
    own: bool = False
    converted_f16: float = 0.0
    vectors: Mapping[str, Curve] = field(default_factory=dict)

    def converting(self, dtype: DType) -> float:
        """The work beside that of moving it, of an element that is read or written."""
        of_f16 = self.converted_f16 or self.converted
        return of_f16 if dtype is F16 else self.converted * (dtype is BF16)

    @property
    def cached_bytes(self) -> int:
        """The largest working set, in bytes, that all cores move clearly faster than main
        memory."""
        faster = (x.nbytes for x in self.levels if x.shared > _FASTER * self.levels[-1].shared)
        return max(faster, default=0)

    def moving_us(self, nbytes: float, *, shared: bool = False) -> float:
        """Microseconds in which one core, or all, move a working set of `nbytes`."""
        level = next((x for x in self.levels if nbytes <= x.nbytes), self.levels[-1])
        return level.moving_us(nbytes, shared=shared)

    def memory_us(self, nbytes: float, *, shared: bool = False) -> float:
        """Microseconds to move `nbytes` from or to main memory, in no cache, by all cores if
        `shared`, else by one."""
        return self.levels[-1].moving_us(nbytes, shared=shared)


@cache
def recorded() -> Mapping[str, Figures]:
    """The recorded figures by processor (see `key`); the first is that of unknown machines."""
    return in_record(RECORDED.read_bytes())


def in_record(data: bytes) -> dict[str, Figures]:
    """The figures by processor in the JSON text of a record; without those in the form of an
    earlier version, which must be measured again. Raises msgspec.MsgspecError for anything but a
    record."""
    raw = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    found = ((name, _read(each)) for name, each in raw.items())
    return {name: figures for name, figures in found if figures is not None}


def _read(data: msgspec.Raw) -> Figures | None:
    try:
        return msgspec.json.decode(data, type=Figures)
    except msgspec.ValidationError:
        return None


def unknown() -> Figures:
    """The figures that stand in for a machine that was never measured: the first of the record."""
    return next(iter(recorded().values()))


def figures_of(processor: str) -> Figures:
    """The figures of a processor: those that a measurement here left in FUSELAB_FIGURES, else the
    recorded ones, else those of `unknown`. `own` is set on all but the last."""
    said = os.environ.get(VARIABLE, "")
    if said:
        return replace(msgspec.json.decode(said, type=Figures), own=True)
    found = recorded().get(processor)
    return replace(found, own=True) if found else unknown()


def processor() -> str:
    """The `key` of this machine's processor, with the number of CPUs that this process may use."""
    threads = len(os.sched_getaffinity(0))
    try:
        return key(Path("/proc/cpuinfo").read_text(), threads)
    except OSError:
        return key("", threads)


def key(cpuinfo: str, threads: int) -> str:
    """A processor's name in the record, from the text of /proc/cpuinfo: vendor, family, model,
    stepping and threads; hypervisors say no more of a model's name than "Xeon"."""
    lines = (line.partition(":") for line in cpuinfo.splitlines())
    said = {name.strip(): value.strip() for name, _, value in reversed(list(lines))}
    parts = [said.get(name, "") for name in ("vendor_id", "cpu family", "model", "stepping")]
    return " ".join([*filter(None, parts), f"x{threads}"])
