"""The trusted side of one run: batches of validated events, whatever the runner does.

It reads what the runner sends and enforces the deadline, cancellation and the lease that the runner
asks for before it measures. When iteration ends, no process of the runner is left.
"""

import contextlib
import os
import selectors
import socket
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import NamedTuple

from compiler_core.report import Event, Notice, Noticed, Report, StageBegan
from worker.sandbox import protocol
from worker.sandbox.clock import Clock
from worker.sandbox.collector import Collector
from worker.sandbox.failures import snippet_failed
from worker.sandbox.files import CHUNK, Files, receive, receive_packet, send
from worker.sandbox.late_remedies import late_remedy
from worker.sandbox.limits import Limits
from worker.sandbox.members import Members
from worker.sandbox.pause import NoPlace, Pause, Place
from worker.sandbox.printed import Stream
from worker.sandbox.sense import Sense
from worker.sandbox.server import ForkServer, ServerUnavailable
from worker.sandbox.standing import Standing
from worker.sandbox.turn import NOBODY, Lease, NoLease, Others, Said, Turn

# A runner that does not take its request is as good as gone.
_SEND_S = 10.0
_OVER = (
    "The run measured for longer than {limit:g} s; from then on others ran beside it, and its "
    "figures may be disturbed."
)


class Host(NamedTuple):
    """What the trusted side knows of what a run is executed on: the devices' names by kind, and
    versions. Empty: not known."""

    devices: Mapping[str, str] = {}
    versions: Mapping[str, str] = {}


UNKNOWN = Host()


class Session:
    """One run. Iterate over `batches()`; then `cancelled`, `ended_by` and `report` tell its end.
    `lease` returns the lease of a device, "cpu" or "cuda"; while `others` say that another run has
    one, this one stands still. `place` says when it may go on that has shown its first IR."""

    def __init__(
        self,
        server: ForkServer,
        request: protocol.Request,
        limits: Limits,
        *,
        lease: Callable[[str], Lease] = lambda device: NoLease(),
        cancelled: Callable[[], bool] = lambda: False,
        others: Others = NOBODY,
        place: Place | None = None,
        host: Host = UNKNOWN,
    ) -> None:
        # One that is not patient raises ServerUnavailable where it has not begun and none is there.
        # `ended_by`: what did from outside, of the table of failures; "" where nothing did.
        self.cancelled, self.patient, self.ended_by = False, True, ""
        self._server, self._request, self._limits = server, request, limits
        self._asked_to_cancel, self._host = cancelled, host
        self._turn, self._standing = Turn(lease, others, limits.lease_s), Standing()
        self._pause = Pause(place or NoPlace())
        self._frames = protocol.FrameReader(protocol.FROM_RUNNER, protocol.MAX_RUN)
        self._collector = Collector(limits)
        self._members = Members(limits, server.equipment.groups, server.isolate)
        self._ended: protocol.Ended | None = None
        self._how: tuple[str, str] | None = None

    @property
    def report(self) -> Report:
        """The report of the events so far."""
        return self._collector.report

    @property
    def received(self) -> int:
        """Bytes that the runner has sent in frames."""
        return self._frames.taken

    def batches(self) -> Generator[list[Event]]:
        """Batches of events: the first one at once, later ones at most every 25 ms. If the run was
        ended from outside, the last event says why."""
        try:
            yield from self._wait()
            if self.cancelled:
                return
            files = self._server.begin(self._limits, patient=self.patient)
        except ServerUnavailable as error:
            if not self.patient:
                raise
            self._cut("not_begun", detail=str(error))
            yield self._collector.take()
            return
        try:
            yield from self._converse(files)
        finally:
            self._stop(files)

    def _wait(self) -> Iterator[list[Event]]:
        """Until the server is warm, which the first run of a toolchain has to wait for."""
        if self.patient and not self._server.warm:
            yield [StageBegan(0, "start", f"{self._server.name}, which takes some seconds")]
            self.cancelled = not self._server.wait(self._asked_to_cancel)

    def _converse(self, files: Files) -> Iterator[list[Event]]:
        self._wait_for_process_1(files.status)
        files.stream.settimeout(_SEND_S)
        send(files.stream, protocol.pack(protocol.REQUEST, protocol.encode(self._request)))
        files.wait_for_nobody()
        self._collector = Collector(self._limits, Sense(self._request, *self._host))
        clock = Clock(self._limits.deadline_s)
        with self._selector(files) as selector:
            # The bell of a pause says nothing of whether there is more to read.
            while len(selector.get_map()) > self._pause.waits and self._how is None:
                waits, pending = self._turn.waits, self._collector.pending
                self._read(selector, clock.timeout(waits, pending, self._pause.waits))
                if not self._pauses(files, clock, selector):
                    self._look_after_turn(files, clock)
                self._look_at(clock)
                self._how = self._how or self._members.look()
                if self._collector.pending and clock.batch_due():
                    with clock.passing_on():
                        yield self._collector.take()
        self._explain()
        if self._collector.pending:
            yield self._collector.take()

    def _wait_for_process_1(self, status: socket.socket) -> None:
        """Before the runner is told what to run: nothing of a snippet is outside of its group."""
        status.settimeout(_SEND_S)
        with contextlib.suppress(TimeoutError):
            self._read_status(status)

    def _selector(self, files: Files) -> selectors.BaseSelector:
        selector = selectors.DefaultSelector()
        for file, read in (
            (files.stream, lambda: self._read_stream(files.stream)),
            (files.status, lambda: self._read_status(files.status)),
            (files.out, lambda: self._read_output("stdout", files.out)),
            (files.err, lambda: self._read_output("stderr", files.err)),
        ):
            selector.register(file, selectors.EVENT_READ, read)
        return selector

    def _read(self, selector: selectors.BaseSelector, timeout: float) -> None:
        try:
            for key, _ in selector.select(timeout):
                # The runner may have read what was there, by a file of its own.
                with contextlib.suppress(BlockingIOError):
                    if not key.data():
                        selector.unregister(key.fileobj)
        except protocol.Flood as flood:
            self._how = ("output", str(flood))
        except protocol.ProtocolViolation as violation:
            self._how = ("protocol", str(violation))

    # -- what comes: each reader says whether there may be more -----------------------------------

    def _read_stream(self, stream: socket.socket) -> bool:
        data = receive(stream)
        for kind, payload in self._frames.feed(data):
            self._frame(kind, payload)
        return bool(data)

    def _frame(self, kind: bytes, payload: bytes) -> None:
        if kind == protocol.LEASE:
            self._ask_for_lease(payload)
        elif kind == protocol.RELEASE:
            self._turn.give_back()
        elif kind == protocol.REST:
            self._turn.rest()
        elif kind == protocol.PAUSE:
            self._pause.ask()
        else:
            self._collector.event(payload)

    def _read_status(self, status: socket.socket) -> bool:
        packet, files = receive_packet(status, protocol.MAX_PACKET)
        if files:
            self._members.begin(*files)
        if not packet:
            return False
        self._status(protocol.decode_status(packet))
        return True

    def _read_what_began(self, status: socket.socket) -> None:
        """Of a run that was over before anything was read."""
        status.setblocking(False)
        with contextlib.suppress(OSError):
            self._read_status(status)

    def _status(self, status: protocol.Status) -> None:
        match status:
            case protocol.Ended():
                self._ended = status
            case protocol.NotBegun(reason):
                self._how = ("not_begun", reason)

    def _read_output(self, stream: Stream, file: int) -> bool:
        data = os.read(file, CHUNK)
        self._collector.printed(stream, data)
        return bool(data)

    def _look_at(self, clock: Clock) -> None:
        if self._how is not None:
            return
        if clock.past_deadline():
            self._how = self._members.late(clock.paused_s)
        elif clock.drained(self._ended is not None):
            self._how = ("ended", "")
        elif clock.cancel_due() and self._asked_to_cancel():
            self.cancelled, self._how = True, ("cancelled", "")

    def _ask_for_lease(self, device: bytes) -> None:
        if device not in protocol.LEASED:
            raise protocol.ProtocolViolation("a request for a device that no run can have")
        self._turn.ask(device.decode())

    def _pauses(self, files: Files, clock: Clock, selector: selectors.BaseSelector) -> bool:
        """Whether the run stands still between its first IR and the rest, which does not count
        towards the deadline. All of its processes are stopped, whatever they do."""
        if self._pause.waits:
            clock.stop()
        said = self._pause.look()
        if said is Said.STAND_STILL:
            self._pause.listen(selector)
            self._turn.stand_still()
            self._members.stand_still(files.status, True)
            self._server.prepare()
        elif said is Said.GRANTED:
            self._pause.listen_no_more(selector)
            send(files.stream, protocol.pack(protocol.GRANTED))
            self._server.prepare()
        if self._pause.waits:
            self._collector.waits(self._pause.words())
        return self._pause.waits

    def _look_after_turn(self, files: Files, clock: Clock) -> None:
        """Tells the runner of its lease, and lets it stand still while another run measures:
        neither time counts towards the deadline."""
        said = self._turn.look()
        if self._turn.waits or self._turn.stands_still:
            clock.pause()
        self._collector.waits(self._turn.words())
        if said is Said.OVER:
            text = _OVER.format(limit=self._limits.lease_s)
            self._collector.add(Noticed(Notice("warning", text, by_service=True)))
        elif said is Said.GRANTED:
            self._collector.goes_on(has_lease=True)
            send(files.stream, protocol.pack(protocol.GRANTED))
        elif (still := said is Said.STAND_STILL) or said is Said.GO_ON:
            if not still:
                self._collector.goes_on(has_lease=False)
            send(files.stream, self._standing.turned(still))
            self._members.stand_still(files.status, still)

    def _explain(self) -> None:
        how, detail = self._how or ("ended", "")
        if how == "cancelled":
            return
        if how != "ended":
            self._cut(how, detail=detail)
        elif self._members.ran_out():
            self._cut("memory")
        elif self._ended is None:
            if not self.patient and not self.received:
                raise ServerUnavailable("the compiler ended before the run had begun")
            self._cut("lost")
        elif self._ended != protocol.Ended("exit", 0) or not self._collector.finished:
            self._cut(self._ended.how, code=self._ended.code)

    def _cut(self, how: str, detail: str = "", code: int = 0) -> None:
        self.ended_by = how
        collected = self._collector
        programs = len(collected.report.programs)
        remedy = late_remedy(collected.stage, self._request.options, programs)
        said = {"doing": collected.doing(), "remedy_of_late": remedy}
        failed = snippet_failed(how, self._limits, code=code, detail=detail, **said)
        self._collector.add(failed)

    def _stop(self, files: Files) -> None:
        """Kills the runner, closes its files and releases its lease. Where there is no sandbox,
        hanging up the status socket is what ends the runner."""
        if self._members.pidfd is None:
            self._read_what_began(files.status)
        self._members.end()
        files.close()
        self._pause.close()
        self._turn.end()
        self._server.prepare()
