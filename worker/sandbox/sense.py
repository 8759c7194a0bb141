"""What a runner says of its run, held against what the trusted side knows and what can be.

What is run, by which versions and on what is the trusted side's to say: it is put in the place of
the runner's words. Figures are the runner's alone: those that cannot be are left out, as is what is
said of a compiler that was not asked for. In all cases the report says so.
"""

import hashlib
import math
import time
from collections.abc import Iterator, Mapping

from msgspec import structs

from compiler_core import report
from compiler_core.report import (
    Event,
    Facts,
    Finished,
    Framework,
    Notice,
    Noticed,
    ProgramFailed,
    ProgramFound,
    SnippetFailed,
    StageDone,
    Started,
    Timing,
)
from worker.sandbox import named
from worker.sandbox.floor import is_below, least_us
from worker.sandbox.follows import follows_not, without_false_trials
from worker.sandbox.limits import cpus
from worker.sandbox.measured import as_can_be
from worker.sandbox.possible import impossible
from worker.sandbox.protocol import Request
from worker.sandbox.quoted import quoted

# A call from Python alone takes longer, in microseconds; and nothing is a million times as fast.
FLOOR_US, MOST_SPEEDUP = 0.02, 1e6
# A stage may end a little after the clock here was read, in milliseconds.
_SLACK_MS = 1000.0
# Signs of what was wrong that its mark has.
_LONGEST = 200
_MARK = (
    "The run's process said what cannot be so ({what}). It was replaced or left out; do not trust "
    "this report's other figures either."
)


class Sense:
    """For one run of `request`, on a machine with `devices` (names by kind; none: unknown) and
    `versions` (none: unknown)."""

    def __init__(
        self, request: Request, devices: Mapping[str, str], versions: Mapping[str, str]
    ) -> None:
        self._request, self._devices, self._versions = request, devices, versions
        self._began = time.monotonic()
        self._kind = "cpu"
        # By program: whom it may have times of, and its framework.
        self._asked = dict[int, frozenset[str]]()
        self._frameworks = dict[int, Framework]()
        # How times were measured, as the first program that was says it.
        self._protocol = ""
        # By program: the floor of its times, and those that were said, maybe before it was.
        self._floors = dict[int, float]()
        self._shown = dict[int, dict[str, Timing]]()
        self._marked = False

    def believed(self, event: Event, payload: bytes) -> Iterator[Event]:
        """What can be of `event`, which was sent as `payload`, and the first time that it had to be
        changed a notice of it."""
        doubted = bool(impossible(payload))
        for each in self.corrected(event):
            if doubted and (why := impossible(report.encode_event(each))):
                yield from self._mark(why)
            else:
                yield each

    def corrected(self, event: Event) -> Iterator[Event]:
        """`event` with what is so in the place of what is wrong by itself."""
        said: Event | None = event
        wrong = ""
        match event:
            case Started():
                said, wrong = self._started(event), self._wrong_start(event)
            case ProgramFound():
                self._frameworks[event.program] = event.framework
                asked = self._request.options.compilers_for(event.framework)
                self._asked[event.program] = frozenset(("eager", *asked))
            case Noticed(notice) if notice.by_service:
                said = Noticed(structs.replace(notice, by_service=False))
                wrong = "that the service noticed something"
            case SnippetFailed(error) | ProgramFailed(_, error) if error.by_service:
                own = structs.replace(error, by_service=False)
                said, wrong = structs.replace(event, error=own), "that the service ended it"
            case Facts():
                said, wrong = self._facts(event)
            case StageDone(_, stage) if stage.compiler not in named.KNOWN:
                said, wrong = None, named.not_asked(stage.compiler)
            case StageDone(_, stage) if not 0 <= stage.ms <= self._elapsed_ms():
                said = structs.replace(event, stage=structs.replace(stage, ms=0.0))
                wrong = f"that {stage.name} took {stage.ms:g} ms"
            case Finished(protocol) if protocol not in ("", self._protocol):
                said, wrong = Finished(self._protocol), f"that times were measured so: {protocol}"
        if said is not None:
            yield said
        yield from self._mark(wrong)

    def _mark(self, wrong: str) -> Iterator[Event]:
        if wrong and not self._marked:
            self._marked = True
            text = _MARK.format(what=quoted(wrong, _LONGEST))
            yield Noticed(Notice("error", text, by_service=True))

    def _elapsed_ms(self) -> float:
        return 1000 * (time.monotonic() - self._began) + _SLACK_MS

    def _started(self, event: Started) -> Started:
        source = self._request.source
        digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
        return Started(
            report.Snippet(digest, source),
            {**event.toolchain, **self._versions},
            self._device(event.device),
            self._request.options,
        )

    def _device(self, said: report.Device) -> report.Device:
        if not self._devices:
            return said
        kind = self._kind = said.kind if said.kind in self._devices else "cpu"
        return report.Device(kind, self._devices[kind], max(1, min(said.threads, cpus())))

    def _wrong_start(self, event: Started) -> str:
        if self._devices and event.device.kind not in self._devices:
            return f"the device {event.device.name or event.device.kind}"
        for name, version in event.toolchain.items():
            if name in self._versions and version != self._versions[name]:
                return f"{name} {version}"
        return "" if event.snippet.source == self._request.source else "another source"

    def _facts(self, event: Facts) -> tuple[Facts, str]:
        event, stranger = named.of_known(event, self._asked.get(event.program, frozenset()))
        event, slow = without_false_trials(event)
        event, impossible = (
            self._timed(event) if event.timings or event.measurement else (event, "")
        )
        return event, stranger or slow or impossible

    def _timed(self, event: Facts) -> tuple[Facts, str]:
        said, program, odd = event.timings or {}, event.program, ""
        if (measurement := event.measurement) is not None:
            framework, elapsed_s = self._frameworks.get(program, "torch"), self._elapsed_ms() / 1e3
            measurement, odd = as_can_be(measurement, framework, elapsed_s)
            self._protocol = self._protocol or report.protocol(measurement)
            least = least_us(measurement, self._kind, cpus())
            self._floors[program] = max(least, self._floors.get(program, 0.0))
            event = structs.replace(event, measurement=structs.replace(measurement, floor_us=least))
        floor = self._floors.get(program, 0.0)
        if event.timings is not None:
            self._shown[program] = dict(said)
        shown = self._shown.get(program, {})
        most = 1000 * self._elapsed_ms()
        eager = said.get("eager") or shown.get("eager")
        whys = {
            name: _impossible(each, floor, most) or follows_not(each, eager)
            for name, each in shown.items()
        }
        wrong = {name: why for name, why in whys.items() if why}
        for name in wrong:
            del shown[name]
        if not wrong:
            return event, odd
        if event.timings is not None:
            kept = {name: each for name, each in said.items() if name not in wrong}
            event = structs.replace(event, timings=kept)
        name, why = next(iter(wrong.items()))
        return event, f"{name}: {why}"


def _impossible(timing: Timing, floor_us: float, most_us: float) -> str:
    """Why a timing cannot be in a run that has taken so long; "" where it can."""
    if is_below(timing, floor_us):
        return f"{timing.median_us:g} µs, of at least {floor_us:g}"
    for us in (timing.median_us, timing.p25_us, timing.p75_us, *timing.samples_us):
        if not FLOOR_US <= us < math.inf:
            return f"a call in {us:g} µs"
    if (took := max(timing.median_us, sum(timing.samples_us))) > most_us:
        return f"{took / 1e6:.3g} s of calls within {most_us / 1e6:.3g}"
    for ratio in (timing.speedup, timing.speedup_low, timing.speedup_high):
        if ratio is not None and not 1 / MOST_SPEEDUP <= ratio <= MOST_SPEEDUP:
            return f"{ratio:g} times as fast"
    return ""
