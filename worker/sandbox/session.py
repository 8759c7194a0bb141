"""The trusted side of one run: batches of validated events, whatever the runner does.

It reads what the runner sends and enforces the deadline, cancellation and the lease that the runner
asks for before it measures. When iteration ends, no process of the runner is left.
"""

import contextlib
import os
import select
import selectors
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Protocol

from compiler_core.report import Event, Report, StageBegan
from worker.sandbox import protocol
from worker.sandbox.clock import Clock
from worker.sandbox.collector import Collector
from worker.sandbox.failures import snippet_failed
from worker.sandbox.files import Files
from worker.sandbox.limits import Limits
from worker.sandbox.printed import Stream
from worker.sandbox.server import ForkServer, ServerUnavailable

_CHUNK = 1 << 18
# A runner that does not take its request is as good as gone.
_SEND_S = 10.0
_DEATH_MS = 2000


class Lease(Protocol):
    """The right to measure on one device (worker/lease.py)."""

    def try_acquire(self) -> bool: ...
    def renew(self) -> None: ...
    def release(self) -> None: ...


class NoLease:
    """A lease that is always granted, for processes in which nothing else measures."""

    def try_acquire(self) -> bool:
        return True

    def renew(self) -> None:
        pass

    def release(self) -> None:
        pass


class Session:
    """One run. Iterate over `batches()`; afterwards `cancelled` and `report` have the outcome.

    `lease` returns the lease of a device, "cpu" or "cuda"."""

    def __init__(
        self,
        server: ForkServer,
        request: protocol.Request,
        limits: Limits,
        *,
        lease: Callable[[str], Lease] = lambda device: NoLease(),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.cancelled = False
        self._server, self._request, self._limits = server, request, limits
        self._lease_of, self._asked_to_cancel = lease, cancelled
        self._lease: Lease = NoLease()
        self._frames = protocol.FrameReader(protocol.FROM_RUNNER, protocol.MAX_RUN)
        self._collector = Collector(limits.output_bytes)
        self._waits_for_lease = self._holds_lease = False
        self._pidfd: int | None = None
        self._ended: protocol.Ended | None = None
        self._how: tuple[str, str] | None = None

    @property
    def report(self) -> Report:
        """The report of the events so far."""
        return self._collector.report

    def batches(self) -> Iterator[list[Event]]:
        """Batches of events: the first one at once, later ones at most every 25 ms. If the run was
        ended from outside, the last event says why."""
        try:
            yield from self._wait()
            if self.cancelled:
                return
            files = self._server.begin(self._limits)
        except ServerUnavailable as error:
            self._cut("not_begun", detail=str(error))
            yield self._collector.take()
            return
        try:
            yield from self._converse(files)
        finally:
            self._stop(files)

    def _wait(self) -> Iterator[list[Event]]:
        """Until the server is warm, which the first run of a toolchain has to wait for."""
        if not self._server.warm:
            yield [StageBegan(0, "start", f"{self._server.name}, which takes some seconds")]
            self.cancelled = not self._server.wait(self._asked_to_cancel)

    def _converse(self, files: Files) -> Iterator[list[Event]]:
        files.stream.settimeout(_SEND_S)
        _send(files.stream, protocol.pack(protocol.REQUEST, protocol.encode(self._request)))
        clock = Clock(self._limits.deadline_s)
        with self._selector(files) as selector:
            while selector.get_map() and self._how is None:
                waits = self._waits_for_lease
                self._read(selector, clock.timeout(waits, self._collector.pending))
                self._look_after_lease(files, clock)
                self._look_at(clock)
                if self._collector.pending and clock.batch_due():
                    yield self._collector.take()
        self._explain()
        if self._collector.pending:
            yield self._collector.take()

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
                if not key.data():
                    selector.unregister(key.fileobj)
        except protocol.Flood as flood:
            self._how = ("output", str(flood))
        except protocol.ProtocolViolation as violation:
            self._how = ("protocol", str(violation))

    # -- what comes: each reader says whether there may be more -----------------------------------

    def _read_stream(self, stream: socket.socket) -> bool:
        data = _receive(stream)
        for kind, payload in self._frames.feed(data):
            self._frame(kind, payload)
        return bool(data)

    def _frame(self, kind: bytes, payload: bytes) -> None:
        if kind == protocol.LEASE:
            self._ask_for_lease(payload)
        elif kind == protocol.RELEASE:
            self._release()
        else:
            self._collector.event(payload)

    def _read_status(self, status: socket.socket) -> bool:
        packet, files, _, _ = socket.recv_fds(status, protocol.MAX_PACKET, 1)
        if files:
            self._pidfd = files[0]
        if not packet:
            return False
        self._status(protocol.decode_status(packet))
        return True

    def _status(self, status: protocol.Status) -> None:
        match status:
            case protocol.Ended():
                self._ended = status
            case protocol.NotBegun(reason):
                self._how = ("not_begun", reason)

    def _read_output(self, stream: Stream, file: int) -> bool:
        data = os.read(file, _CHUNK)
        self._collector.printed(stream, data)
        return bool(data)

    # -- what passes ------------------------------------------------------------------------------

    def _look_at(self, clock: Clock) -> None:
        if self._how is not None:
            return
        if clock.past_deadline():
            self._how = ("deadline", "")
        elif clock.drained(self._ended is not None):
            self._how = ("ended", "")
        elif clock.cancel_due() and self._asked_to_cancel():
            self.cancelled, self._how = True, ("cancelled", "")

    def _ask_for_lease(self, device: bytes) -> None:
        if device not in protocol.LEASED:
            raise protocol.ProtocolViolation("a request for a device that no run can have")
        if not self._holds_lease:
            self._lease, self._waits_for_lease = self._lease_of(device.decode()), True

    def _look_after_lease(self, files: Files, clock: Clock) -> None:
        """Acquires or renews the lease; waiting for it does not count towards the deadline."""
        if self._waits_for_lease:
            clock.pause()
            if self._lease.try_acquire():
                self._waits_for_lease, self._holds_lease = False, True
                _send(files.stream, protocol.pack(protocol.GRANTED))
        elif self._holds_lease and clock.renewal_due():
            self._lease.renew()

    def _release(self) -> None:
        if self._holds_lease:
            self._holds_lease = False
            self._lease.release()

    def _explain(self) -> None:
        how, detail = self._how or ("ended", "")
        if how == "cancelled":
            return
        if how != "ended":
            self._cut(how, detail=detail)
        elif self._ended is None:
            self._cut("lost")
        elif self._ended != protocol.Ended("exit", 0) or not self._collector.finished:
            self._cut(self._ended.how, code=self._ended.code)

    def _cut(self, how: str, *, code: int = 0, detail: str = "") -> None:
        doing = self._collector.doing()
        failed = snippet_failed(how, self._limits, code=code, detail=detail, doing=doing)
        self._collector.add(failed)

    def _stop(self, files: Files) -> None:
        """Kills the runner, closes its files and releases its lease.

        Where there is no sandbox, hanging up the status socket is what ends the runner.
        """
        if self._pidfd is not None:
            if self._server.isolate:
                _kill(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        files.close()
        self._release()
        self._server.prepare()


def _receive(stream: socket.socket) -> bytes:
    try:
        return stream.recv(_CHUNK)
    except ConnectionError:
        return b""


def _send(stream: socket.socket, data: bytes) -> None:
    # Where the runner is gone, its end is read from the status socket.
    with contextlib.suppress(OSError):
        stream.sendall(data)


def _kill(pidfd: int) -> None:
    """Process 1 of a runner is dead when all others are: wait for that."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    poller.poll(_DEATH_MS)
