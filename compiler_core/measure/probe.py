"""The constants of the cost model of loops, fitted to what this machine takes for a few kernels.

Each kernel of probe_kernels.py is compiled as any program's are, once for one core and once for
all, and runs several times in a row in each call: what counts is the last, that finds its data
where it left them. Of every few calls the median is taken, and of these the least, as others may be
at work for a while; and where they were, it is measured again: a worker is often started with all
that it works for. Each constant follows from one kernel's time, less what is known already.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TypeVar

import msgspec
import torch

from compiler_core import toolchain
from compiler_core.errors import MeasureError
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.ops import OPS
from compiler_core.ir.types import TensorType
from compiler_core.measure import probe_products
from compiler_core.measure.machine import Watch
from compiler_core.measure.probe_kernels import (
    CHAINED,
    LONG,
    MOVED,
    SHORT,
    WEIGHED,
    Probe,
    probes,
)
from compiler_core.plan.build import Draft, planned
from compiler_core.plan.choose import OnCpu
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import KernelStep
from compiler_core.runtime import cpu
from compiler_core.runtime.blas import own_cpu
from compiler_core.runtime.stamps import Stamp
from compiler_core.schedule.figures import Figures, Level, in_record, processor
from compiler_core.schedule.targets import CpuTarget
from compiler_core.wording import counted

# Of each kernel in a call: the second finds data where the first left them.
_REPEATS = 3
_CALLS = 60
# Of these calls in a row the median counts.
_IN_A_ROW = 6
# While others are at work, it is measured once more as long as not so many seconds have gone: in
# quiet one takes about six.
_SECONDS = 10.0
# Below these a fit is noise; they are of a machine that none is faster than.
_LEAST_WEIGHT, _LEAST_US = 0.5, 0.01
# A working set is taken to be like that of a size up to twice as large.
_LIKE = 2
_DIGITS = 3
_SEED = 0
# Of so many calls of kernels there is one of products, which take longer.
_FEWER = 10

Key = TypeVar("Key", str, tuple[str, int])


@dataclass(frozen=True)
class Times:
    """Microseconds of each probe, by one core and by all `cores`; and those of the products of a
    matrix and a vector, by the name of the way and the side of the matrix."""

    alone: Mapping[str, float]
    shared: Mapping[str, float]
    cores: int
    products: Mapping[tuple[str, int], float] = field(default_factory=dict)


def measured(calls: int = _CALLS, seconds: float = _SECONDS) -> Figures:
    """The figures of this machine. Takes some seconds, and an otherwise idle machine: where it is
    none for so many `seconds`, the figures say that they are `busy`. Raises ToolchainError without
    a compiler."""
    every, device = probes(), toolchain.cpu()
    machine = f"{counted(device.threads, 'processor')} of {device.name}"
    target = own_cpu()
    alone = _timer(every, replace(target, waking_us=inf), calls)
    shared = _timer(every, replace(target, waking_us=0.0), calls)
    products = _product_timer(target, max(1, calls // _FEWER))
    rounds, busy = _rounds(lambda: Times(alone(), shared(), device.threads, products()), seconds)
    return replace(fitted(least(rounds), every, machine), busy=busy)


def _rounds(measure: Callable[[], Times], seconds: float) -> tuple[list[Times], bool]:
    """What was measured until nobody disturbed it or the time was over, and whether somebody did to
    the end."""
    found: list[Times] = []
    busy, until = True, time.monotonic() + seconds
    while busy and (not found or time.monotonic() < until):
        watch = Watch()
        found.append(measure())
        busy = watch.used().busy
    return found, busy


def least(rounds: Sequence[Times]) -> Times:
    """The least time of each probe, as whoever disturbs only makes it longer."""
    alone, shared = _least([r.alone for r in rounds]), _least([r.shared for r in rounds])
    return Times(alone, shared, rounds[0].cores, _least([r.products for r in rounds]))


def _least(found: Sequence[Mapping[Key, float]]) -> Mapping[Key, float]:
    return {name: min(each[name] for each in found) for name in found[0]}


def recorded_in(file: Path, figures: Figures) -> None:
    """Writes this machine's figures into a record, in which others stay. Raises MeasureError for
    a file that is no record."""
    try:
        others = in_record(file.read_bytes())
    except FileNotFoundError:
        others = {}
    except msgspec.MsgspecError as error:
        raise MeasureError(f"{file} is no record of figures: {error}") from None
    found = msgspec.json.encode(others | {processor(): figures})
    whole = file.with_name(f"{file.name}.new")
    whole.write_bytes(msgspec.json.format(found, indent=1) + b"\n")
    whole.replace(file)


def _timer(
    every: Mapping[str, Probe], target: CpuTarget, calls: int
) -> Callable[[], dict[str, float]]:
    """Takes the times of so many calls."""
    built, stamps = cpu.build_with_stamps(_plan(every, target))
    inputs = _inputs(every)

    def times() -> dict[str, float]:
        found: dict[str, list[float]] = {name: [] for name in every}
        for _ in range(calls):
            built(inputs)
            last = {_probe_of(stamp.launch): stamp for stamp in stamps.take()}
            for name, stamp in last.items():
                found[name].append((stamp.end_ns - stamp.begin_ns) / 1e3)
        return {name: min(map(statistics.median, _in_a_row(us))) for name, us in found.items()}

    return times


def _product_timer(target: CpuTarget, calls: int) -> Callable[[], dict[tuple[str, int], float]]:
    """Takes the microseconds of each way to compute a product of a matrix and a vector, by its name
    and the side of the matrix: of each repetition from the end of what is before it to the begin of
    what is after it, and of these the last."""
    every = probe_products.ways(target)
    by_name = {way.step.name: way for way in every}
    steps = probe_products.steps(every)
    inputs = {b.name: b.type for step in steps for b in step.inputs}
    outputs = {b.name: b.type for step in steps for b in step.outputs}
    draft = Draft("products", inputs, tuple(outputs), tuple(outputs.values()))
    plan = planned(draft, steps, probe_products.Chosen(by_name, OnCpu(target)))
    built, stamps = cpu.build_with_stamps(plan)
    generator = torch.Generator().manual_seed(_SEED)
    given = [_drawn(type_, generator) for type_ in inputs.values()]

    def times() -> dict[tuple[str, int], float]:
        found: dict[tuple[str, int], list[float]] = {(w.name, w.side): [] for w in every}
        for _ in range(calls):
            built(given)
            for way, us in _between(stamps.take(), by_name):
                found[way.name, way.side].append(us)
        return {key: min(map(statistics.median, _in_a_row(x))) for key, x in found.items()}

    return times


def _between(
    stamps: Sequence[Stamp], by_name: Mapping[str, probe_products.Way]
) -> Iterator[tuple[probe_products.Way, float]]:
    last = f"_{probe_products.REPEATS - 1}"
    for before, stamp, after in zip(stamps, stamps[1:], stamps[2:], strict=False):
        if stamp.launch.endswith(last) and _probe_of(stamp.launch) in by_name:
            yield by_name[_probe_of(stamp.launch)], (after.begin_ns - before.end_ns) / 1e3


def _in_a_row(times: Sequence[float]) -> Iterator[Sequence[float]]:
    """So many in a row at a time, the last ones perhaps fewer."""
    return (times[i : i + _IN_A_ROW] for i in range(0, len(times), _IN_A_ROW))


def _plan(every: Mapping[str, Probe], target: CpuTarget) -> Plan:
    """Each kernel several times in a row, on the same memory."""
    kernels = [p.kernel for p in every.values()]
    steps = [KernelStep(replace(k, name=f"{k.name}_{i}")) for k in kernels for i in range(_REPEATS)]
    inputs = {b.name: b.type for k in kernels for b in k.inputs}
    outputs = [b for k in kernels for b in k.outputs]
    draft = Draft("probe", inputs, tuple(b.name for b in outputs), tuple(b.type for b in outputs))
    return planned(draft, steps, OnCpu(target))


def _probe_of(launch: str) -> str:
    return launch.rpartition("_")[0]


def _inputs(every: Mapping[str, Probe]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(_SEED)
    types = {b.name: b.type for p in every.values() for b in p.kernel.inputs}
    return [_drawn(type_, generator) for type_ in types.values()]


def _drawn(type_: TensorType, generator: torch.Generator) -> torch.Tensor:
    """Numbers that every function is defined for; of integers, places of as many elements."""
    if not type_.dtype.is_float:
        return torch.randint(type_.numel, type_.sizes, generator=generator, dtype=torch.int32)
    return (torch.rand(type_.sizes, generator=generator) * 0.8 + 0.1).to(TORCH[type_.dtype.name])


def fitted(times: Times, every: Mapping[str, Probe], machine: str) -> Figures:
    """The figures that explain the times of `every` probe."""
    alone, call = times.alone, times.alone["call"]
    ops = _points(every, "chain") * (CHAINED + 2) / max(alone["chain"] - call, _LEAST_US)

    def weight(name: str) -> float:
        """That of all at a point."""
        return (alone[name] - call) * ops / _points(every, name)

    def over(name: str, known: float) -> float:
        return round(max(weight(name) - known, _LEAST_WEIGHT), 1)

    rows = _points(every, "rows") // SHORT
    row_us = max(0.0, alone["rows"] - call - _points(every, "rows") / ops) / rows
    of_row = row_us * ops / LONG
    waking = times.shared["waking"] - call - (alone["waking"] - call) / times.cores
    return Figures(
        machine=machine,
        cores=times.cores,
        ops=_rounded(ops),
        levels=tuple(_levels(times, call, waking)),
        waking_us=_rounded(waking),
        call_us=_rounded(call),
        row_us=_rounded(row_us),
        scanned=over("scanned", 1 + of_row),
        tupled=over("tupled", 2 + of_row),
        gathered_us=_rounded(max(0.0, weight("gathered") - 2) / ops),
        converted=over("converted", 3) / 3,
        converted_f16=over("read_f16", 1 + of_row),
        weights={op: over(f"op_{op}", _operands(op)) for op in WEIGHED},
        vectors=probe_products.curves({way: _rounded(us) for way, us in times.products.items()}),
    )


def _points(every: Mapping[str, Probe], name: str) -> int:
    return every[name].points


def _operands(op: str) -> int:
    return OPS[op].arity or 0


def _levels(times: Times, call: float, waking: float) -> list[Level]:
    found: list[Level] = []
    for size in MOVED:
        alone = size / max(times.alone[f"moved_{size}"] - call, _LEAST_US)
        shared = size / max(times.shared[f"moved_{size}"] - call - waking, _LEAST_US)
        # What is moved in as little time as waking takes tells nothing else of all.
        shared = min(max(alone, shared), times.cores * alone)
        nbytes = 2**62 if size == MOVED[-1] else size * _LIKE
        found.append(Level(nbytes, _rounded(alone), _rounded(shared)))
    return found


def _rounded(value: float) -> float:
    return float(f"{max(value, 0.0):.{_DIGITS}g}")
