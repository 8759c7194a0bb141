"""What samples come to: each compiler's statistics, who is fastest, and how it was measured."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core import SPIN_IN_TIME, report
from compiler_core.measure.floor import NO_FLOOR, NO_ROOF, Floor, Roof
from compiler_core.measure.runnable import Costs
from compiler_core.measure.sampling import Samples
from compiler_core.measure.statistics import (
    Ratio,
    pays_after_calls,
    ratio,
    repeated,
    spread,
    verdict,
)

BELOW = "below the physical floor"


@dataclass(frozen=True)
class Sampled:
    """What is known of a measurement; `costs` are those of compiling, by compiler."""

    samples: Samples
    costs: Mapping[str, Costs]
    floor: Floor = NO_FLOOR
    roof: Roof = NO_ROOF

    def us(self, name: str) -> list[float]:
        """One compiler's samples in microseconds."""
        return [ns / 1e3 for ns in self.samples.ns[name]]

    def device_us(self, name: str) -> float | None:
        """The median of one compiler's samples by the device's clock; None where it has none."""
        ns = self.samples.device_ns.get(name)
        return spread([each / 1e3 for each in ns]).median if ns else None

    def is_below(self, name: str) -> bool:
        """Whether a compiler's time is less than is possible."""
        return spread(self.us(name)).median < self.floor.us

    def ratio(self, base: str, other: str) -> Ratio:
        """How much more time `base` takes, in an interval that holds for further measurements."""
        return repeated(ratio(self.us(base), self.us(other), self.samples.blocks))


def timings(sampled: Sampled) -> dict[str, report.Timing]:
    """The report's statistics of each compiler's samples. Of a time below the floor no ratio is
    given: it is an error of measurement, whoever's it is."""
    return {name: _timing(name, sampled) for name in sampled.samples.ns}


def _timing(name: str, sampled: Sampled) -> report.Timing:
    us, cost = sampled.us(name), sampled.costs[name]
    own = spread(us)
    facts: dict[str, Any] = {
        "median_us": own.median, "p25_us": own.p25, "p75_us": own.p75,
        "samples": len(us), "samples_us": us, "device_us": sampled.device_us(name),
        "capture_ms": cost.capture_ms,
        "compile_ms": cost.compile_ms, "first_call_ms": cost.first_call_ms,
    }  # fmt: skip
    if sampled.is_below(name):
        facts["verdict"] = BELOW
    elif name != "eager":
        facts |= _against_eager(sampled.ratio("eager", name), sampled.is_below("eager"))
        facts["pays_after_calls"] = pays_after_calls(
            cost.total_ms, spread(sampled.us("eager")).median, own.median
        )
    return report.Timing(**facts)


def _against_eager(speedup: Ratio, eager_is_below: bool) -> dict[str, Any]:
    if eager_is_below:
        return {}
    return {
        "speedup": speedup.value, "speedup_low": speedup.low, "speedup_high": speedup.high,
        "verdict": verdict(speedup),
    }  # fmt: skip


def measurement(
    sampled: Sampled, notes: Sequence[str], baseline: str = "", apart: Collection[str] = ()
) -> report.Measurement:
    """How it was measured, and who is fastest but for those that stand `apart`: their result is
    wrong, or they have compiled nothing. `notes` are further things to know, `baseline` is what
    eager is."""
    samples, used = sampled.samples, sampled.samples.used
    return report.Measurement(
        baseline=baseline,
        fastest=fastest(sampled, apart),
        rounds=len(samples.blocks),
        blocks=len(set(samples.blocks)),
        seconds=used.seconds,
        threads=torch.get_num_threads(),
        processors=used.processors,
        others=used.others,
        busy=used.busy,
        floor_us=sampled.floor.us,
        floor_by=sampled.floor.by,
        bandwidth=sampled.roof.bandwidth,
        flops=sampled.roof.flops,
        notes=[*_of_sampling(samples), *notes],
    )


def fastest(sampled: Sampled, apart: Collection[str] = ()) -> list[str]:
    """The compiler with the least median, then those whose samples do not show that they are
    slower. An impossible time is nobody's best."""
    able = [name for name in sampled.samples.ns if name not in apart and not sampled.is_below(name)]
    if not able:
        return []
    best, *others = sorted(able, key=lambda name: spread(sampled.us(name)).median)
    return [best, *(name for name in others if sampled.ratio(name, best).low <= 1)]


def taken(m: report.Measurement) -> str:
    """The same in one figure, for a list in which it is a stage."""
    return f"{m.rounds} rounds over {m.seconds:.1f} s" + (", on a busy machine" if m.busy else "")


def _of_sampling(samples: Samples) -> list[str]:
    several = ", ".join(f"{n} {c}" for n, c in samples.calls.items() if c > 1)
    found = (
        f"calls in a sample: {several} (else 1)" if several else "one call a sample",
        f"{samples.warm_rounds} rounds of warm-up",
        "" if SPIN_IN_TIME else "torch's idle threads disturb what is measured after it",
        f"{samples.faults} page faults while sampling",
        samples.bound,
        "monotonic clock",
    )
    return [*filter(None, found)]
