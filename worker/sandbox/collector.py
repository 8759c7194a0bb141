"""Decodes and validates what a runner sends. The bytes are not trusted.

Each event is checked against its bounds, decoded as one of the report's types, and applied to the
outline of a report, which rejects events that do not fit there. Raises ProtocolViolation for
anything invalid.
"""

import msgspec

from compiler_core import report
from compiler_core.report import (
    Event,
    Facts,
    Finished,
    Notice,
    Noticed,
    Printed,
    ProgramFailed,
    SnippetFailed,
    Stage,
    StageBegan,
    StageDone,
)
from worker.sandbox import bounds
from worker.sandbox.failures import limit_met
from worker.sandbox.limits import Limits
from worker.sandbox.printed import Output, Stream
from worker.sandbox.protocol import MAX_EVENTS, Flood, ProtocolViolation
from worker.sandbox.quoted import quoted
from worker.sandbox.sense import Sense


class Collector:
    """The events that `take` has not returned yet, and the outline of the report so far: without
    the results of stages and the facts about programs, which nothing here needs. What the runner
    says goes through `sense`."""

    def __init__(self, limits: Limits, sense: Sense | None = None) -> None:
        self.report = report.Report()
        self.finished = False
        self._limits, self._notified = limits, set[str]()
        self._output = Output(limits.output_bytes)
        self._pending: list[Event] = []
        self._events = self._values = 0
        self._began: StageBegan | None = None
        # The stage that has not ended, of a run that waits too.
        self._under_way: StageBegan | None = None
        self._sense = sense

    @property
    def pending(self) -> bool:
        """Whether there are events to take."""
        return bool(self._pending)

    def take(self) -> list[Event]:
        """The events since the last call."""
        batch, self._pending = self._pending, []
        return batch

    def event(self, payload: bytes) -> None:
        """Takes one event as JSON. Raises ProtocolViolation."""
        self._events += 1
        if self._events > MAX_EVENTS:
            raise Flood(f"more than {MAX_EVENTS} events")
        self._measure(payload)
        try:
            event = report.decode_event(payload)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            raise ProtocolViolation("what is not an event of a report") from None
        if isinstance(event, Printed):
            self.add(*self._output.text(event))
        else:
            self.add(*(self._sense.believed(event, payload) if self._sense else (event,)))
            self._notify_of_limit(event)

    def printed(self, stream: Stream, data: bytes) -> None:
        """Adds bytes that the runner's processes wrote to a standard stream."""
        self.add(*self._output.bytes(stream, data))

    def add(self, *events: Event) -> None:
        """Adds events of the trusted side."""
        for event in events:
            try:
                report.apply(self.report, _outline(event))
            except IndexError:
                raise _not_announced() from None
            self._note(event)
            self._keep(event)

    def waits(self, words: str) -> None:
        """Tells what a run that stands still waits for, if there is anything to tell."""
        if words and self.report.programs:
            program = self._began.program if self._began else 0
            self.add(StageBegan(program, report.ITS_TURN, words))

    def goes_on(self, *, has_lease: bool) -> None:
        """Tells what a run does from now on that was told to wait: what it did before, which with
        a lease is no waiting any more."""
        if self._under_way and self._began and self._began.name == report.ITS_TURN:
            at = self._under_way
            self.add(StageBegan(at.program, at.name) if has_lease else at)

    @property
    def stage(self) -> str:
        """The name of the stage under way; "" while the snippet itself runs."""
        return self._began.name if self._began else ""

    def doing(self) -> str:
        """The stage and program under way, for messages: "capture of model"; "" before the
        first."""
        if self._began is None:
            return "running the snippet"
        name = self.report.programs[self._began.program].name
        return f"{quoted(self._began.name)} of {quoted(name)}"

    def _notify_of_limit(self, event: Event) -> None:
        """Of a failure that a limit of the sandbox brought about; each limit once."""
        failed = isinstance(event, SnippetFailed | ProgramFailed) and event.error
        said = limit_met(failed.message, self._limits, failed.traceback) if failed else ""
        if said and said not in self._notified:
            self._notified.add(said)
            self.add(Noticed(Notice("info", said, by_service=True)))

    def _measure(self, payload: bytes) -> None:
        try:
            self._values += bounds.values(payload)
        except bounds.Beyond as beyond:
            raise Flood(str(beyond)) from None
        if self._values > bounds.MAX_RUN_VALUES:
            raise Flood(f"more than {bounds.MAX_RUN_VALUES:,} values")

    def _note(self, event: Event) -> None:
        self.finished = self.finished or isinstance(event, Finished)
        if isinstance(event, StageBegan):
            if not 0 <= event.program < len(self.report.programs):
                raise _not_announced()
            self._began = event
            self._under_way = self._under_way if event.name == report.ITS_TURN else event
        elif isinstance(event, StageDone):
            self._under_way = None

    def _keep(self, event: Event) -> None:
        """Consecutive prints to one stream become one event, one row in the database."""
        last = self._pending[-1] if self._pending else None
        if isinstance(event, Printed) and isinstance(last, Printed) and last.stream == event.stream:
            self._pending[-1] = Printed(event.stream, last.text + event.text)
        else:
            self._pending.append(event)


def _outline(event: Event) -> Event:
    match event:
        case StageDone(program, stage):
            return StageDone(program, Stage(stage.name, stage.status, stage.ms))
        case Facts(program):
            return Facts(program)
    return event


def _not_announced() -> ProtocolViolation:
    return ProtocolViolation("an event of a program not announced")
