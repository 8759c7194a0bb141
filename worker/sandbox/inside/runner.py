"""The process that runs one snippet: limits itself, then calls the compiler."""

import contextlib
import math
import os
import resource
import selectors
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NoReturn, Protocol, TextIO

import msgspec

from compiler_core.report import Event, Notice, Noticed, Options, StageDone, encode_event
from worker.sandbox import bounds, protocol
from worker.sandbox.inside import linux
from worker.sandbox.limits import KIB, Limits, cpus

_CHUNK = 1 << 16
# RLIMIT_SIGPENDING, which Python does not name.
_SIGPENDING = 11
# What a process may keep from being moved out of memory: of files, which are counted for nobody,
# and each of a run's processes may.
_LOCKED_BYTES = 64 * KIB
# Exit codes: the compiler raised; what it found can no longer be told.
INTERNAL_ERROR, UNHEARD = 70, 71  # EX_SOFTWARE, EX_OSERR


class Explore(Protocol):
    """The entry module's function: `compiler_core.pipeline.explore`."""

    def __call__(
        self,
        source: str,
        options: Options,
        emit: Callable[[Event], None],
        *,
        lease: Callable[[str], AbstractContextManager[Callable[[], None]]],
        time_left: Callable[[], float],
    ) -> None: ...


def run(stream: int, out: int, err: int, limits: Limits, explore: Explore, home: str) -> NoReturn:
    """Runs one request and exits: with 0 if `explore` returned, with INTERNAL_ERROR if it raised.
    `stream`, `out` and `err` are file descriptors, `home` is the working directory."""
    code = INTERNAL_ERROR
    try:
        # What process 1 watches may be read by it, which is of the same user and has no privilege.
        linux.prctl(linux.PR_SET_DUMPABLE, 1)
        # There is no epoll for a snippet (scripts/seccomp_filters.py), which Python's asyncio would
        # take, for the server found that there is one.
        selectors.DefaultSelector = selectors.PollSelector  # type: ignore[misc, assignment]
        _settle(stream, out, err, home)
        limit_oneself(limits)
        _use_all_processors()
        channel = Channel(socket.socket(fileno=3), limits.deadline_s)
        request = channel.request()
        explore(
            request.source,
            request.options,
            channel.emit,
            lease=channel.lease,
            time_left=channel.time_left,
        )
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        # Handlers registered at exit belong to the server or to the snippet: neither is owed one.
        os._exit(code)


class Channel:
    """The socket to the trusted side. `emit` may be called from any thread."""

    def __init__(self, stream: socket.socket, deadline_s: float) -> None:
        self._stream, self._lock = stream, threading.Lock()
        # Of whoever reads what the trusted side sends.
        self._reading = threading.Lock()
        self._deadline_s, self._ends, self._stood_s = deadline_s, math.inf, 0.0
        self._has_shown = False
        self._frames = protocol.FrameReader(protocol.TO_RUNNER, protocol.MAX_RUN)

    def request(self) -> protocol.Request:
        """Waits for the run's request, which may be long: runners are there before it."""
        request = self._receive(protocol.REQUEST)
        self._ends = time.monotonic() + self._deadline_s
        return protocol.decode_request(request)

    def emit(self, event: Event) -> None:
        """Sends one event. The first that shows an IR is followed by a pause: others may have to
        show theirs before this run goes on."""
        self._stream_event(event)
        if not self._has_shown and _shows_ir(event):
            self._has_shown = True
            self._wait_after(protocol.PAUSE)

    def _stream_event(self, event: Event) -> None:
        payload = encode_event(event)
        if len(payload) > protocol.MAX_FRAME or not _is_within(payload):
            payload = encode_event(event := bounds.shortened(event))
        if len(payload) > protocol.MAX_FRAME or not _is_within(payload):
            payload = encode_event(_without_texts(event))
            self._send(protocol.EVENT, encode_event(_left_out(event)))
        self._send(protocol.EVENT, payload)

    @contextlib.contextmanager
    def lease(self, device: str) -> Iterator[Callable[[], None]]:
        """Context with the lease of `device`, "cpu" or "cuda"; entering it waits until the trusted
        side grants the lease. What it gives lets those go first who have shown nothing yet."""
        self._wait_after(protocol.LEASE, device.encode())
        try:
            yield self._rest
        finally:
            self._send(protocol.RELEASE)

    def _rest(self) -> None:
        self._wait_after(protocol.REST)

    def time_left(self) -> float:
        """The seconds until the deadline, to which neither waiting counts nor what the run stood
        still while others measured: as far as that is let pass."""
        if self._reading.acquire(blocking=False):
            try:
                self._hear()
            finally:
                self._reading.release()
        return self._ends + min(self._stood_s, self._deadline_s) - time.monotonic()

    def _hear(self) -> None:
        """Takes what the trusted side has said of standing still."""
        with contextlib.suppress(BlockingIOError):
            while data := self._stream.recv(_CHUNK, socket.MSG_DONTWAIT):
                for kind, seconds in self._frames.feed(data):
                    self._stood_s += float(seconds) if kind == protocol.STOOD else 0.0

    def _wait_after(self, kind: bytes, payload: bytes = b"") -> None:
        with self._reading:
            self._hear()
            began = time.monotonic()
            self._send(kind, payload)
            # To stand still meanwhile is to wait.
            self._receive(protocol.GRANTED)
            self._ends += time.monotonic() - began

    def _send(self, kind: bytes, payload: bytes = b"") -> None:
        try:
            with self._lock:
                self._stream.sendall(protocol.pack(kind, payload))
        except OSError:
            # The snippet closed it, or put something else in its place.
            os._exit(UNHEARD)

    def _receive(self, expected: bytes) -> bytes:
        while data := self._stream.recv(_CHUNK):
            for kind, payload in self._frames.feed(data):
                if kind == expected:
                    return payload
        raise EOFError("the trusted side hung up")


def _shows_ir(event: Event) -> bool:
    return isinstance(event, StageDone) and any(a.kind == "ir" for a in event.stage.artifacts)


def _is_within(payload: bytes) -> bool:
    try:
        bounds.values(payload)
    except bounds.Beyond:
        return False
    return True


def _without_texts(event: Event) -> Event:
    if isinstance(event, StageDone):
        stage = msgspec.structs.replace(event.stage, artifacts=[], rewrites=[], tables=[])
        return msgspec.structs.replace(event, stage=stage)
    return event


def _left_out(event: Event) -> Noticed:
    name = f"of stage {event.stage.name}" if isinstance(event, StageDone) else type(event).__name__
    limit = protocol.MAX_FRAME >> 20
    most = f"more than {limit} MiB, or than {bounds.MAX_VALUES:,} values"
    return Noticed(Notice("warning", f"The texts {name} were left out: {most}."))


def _settle(stream: int, out: int, err: int, home: str) -> None:
    """Only files 0 to 3 stay open, and Python's own streams write to them at once."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    files = [os.dup(file) for file in (nothing, out, err, stream)]
    high = [os.dup2(file, 100 + number, inheritable=False) for number, file in enumerate(files)]
    for number, file in enumerate(high):
        os.dup2(file, number, inheritable=number < 3)
    os.closerange(4, 4096)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # for as long as the process lives
    sys.stdout = _text(1)
    sys.stderr = _text(2)
    # TorchInductor has noted where the server's files are, to which nobody writes from here.
    os.environ.update(HOME=home, TMPDIR=home, TORCHINDUCTOR_CACHE_DIR=f"{home}/torchinductor")
    tempfile.tempdir = None
    os.chdir(home)


def _text(file: int) -> TextIO:
    return open(file, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def limit_oneself(limits: Limits) -> None:
    """The memory already there is the server's, shared by all runners: it is not counted."""
    os.nice(limits.niceness)
    memory = limits.memory_bytes + _writable_bytes()
    # The kernel ends a process at its hard limit with SIGKILL, which would say nothing.
    cpu = (limits.cpu_s, limits.cpu_s + 5)
    nothing = (0, 0)
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, *cpu),
        (resource.RLIMIT_DATA, memory, memory),
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (_SIGPENDING, limits.signals, limits.signals),
        (resource.RLIMIT_MEMLOCK, _LOCKED_BYTES, _LOCKED_BYTES),
        # A session of a desktop may let its programs come before all others.
        (resource.RLIMIT_RTPRIO, *nothing),
        (resource.RLIMIT_NICE, *nothing),
    ):
        set_limit(kind, soft, hard)


def crash_unheard() -> None:
    """From now on no core of this process is kept, and nobody is told of its crash: at a limit of
    no bytes the kernel would begin the machine's own handler, at one of a single byte it does not.
    The seccomp filter lets nobody change it."""
    set_limit(resource.RLIMIT_CORE, 1, 1)


def set_limit(kind: int, soft: int, hard: int) -> None:
    """Sets a resource limit, never above the present hard limit."""
    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))


def _writable_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmData:"))


def _use_all_processors() -> None:
    """The server warms up with one thread, because a fork would lose the others."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(cpus())
