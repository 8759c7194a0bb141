"""A few processes that live together, their output in one terminal.

They start in order, each after the one before is ready. One that ends while it should not is said
to, and started again after a pause that grows while that goes on. One that cannot even begin ends
all: then, or when somebody asks, they are stopped in the opposite order, and nothing that they
started is left either, because this process adopts their orphans.
"""

import asyncio
import ctypes
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

# From SIGTERM to SIGKILL. A worker first stops the runs that it is busy with.
GRACE_SECONDS = 10
READY_SECONDS = 60
# One that exits by itself so soon after its first start has said why, and would say it again.
BEGINNING_SECONDS = 10.0
# Before one that ended is started again: after the first time, the second and so on; and how long
# it must have lived to be counted from the beginning.
PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
WELL_SECONDS = 60.0
REAP_SECONDS = 1.0
REAPED_SECONDS = 0.001
# A longer line is cut in two; a process that prints without newlines must not fill the memory.
MAX_LINE_BYTES = 1 << 20
# Killing a process may make its children ours; so deep may they be nested.
MAX_GENERATIONS = 16

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)


async def at_once() -> None:
    """The readiness of a service that nobody waits for."""


@dataclass(frozen=True)
class Service:
    """A process with a name for its lines."""

    name: str
    command: Sequence[str]
    stdin: bytes = b""
    ready: Callable[[], Awaitable[None]] = at_once


@dataclass(frozen=True)
class Ended:
    """A service that ended although nobody had asked."""

    name: str
    status: int

    def __str__(self) -> str:
        return f"{self.name} {_how(self.status)}; stopping the others."


@dataclass(frozen=True)
class NeverReady:
    """A service that started and did not become ready."""

    name: str

    def __str__(self) -> str:
        return f"{self.name} was not ready after {READY_SECONDS} s; stopping everything."


Problem = Ended | NeverReady


@dataclass
class Supervisor:
    """Runs services until `stop` is called or one of them cannot begin."""

    environment: dict[str, str]
    log: Callable[[str, str], None]
    # In the order in which they were first started.
    _running: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)
    _all_began: bool = False
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    # Children that were there before the services, and are none of this one's business.
    _spared: set[psutil.Process] = field(init=False)
    _ended: asyncio.Future[Problem | None] = field(init=False)

    def __post_init__(self) -> None:
        self._spared = set(psutil.Process().children(recursive=True))
        self._ended = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        """Ask for the end; asked twice, it comes at once."""
        if self._ended.done():
            for process in self._running.values():
                _signal(process, signal.SIGKILL)
        self._finish(None)

    async def run(
        self, services: Sequence[Service], ready: Callable[[], None] = lambda: None
    ) -> Problem | None:
        """What went wrong, None where `stop` was called. Returns when no process is left."""
        _adopt_orphans(True)
        self._tasks.append(asyncio.create_task(self._reap_orphans()))
        try:
            for service in services:
                if not await self._start(service):
                    break
            else:
                self._all_began = True
                ready()
            return await self._ended
        finally:
            await self._stop_all()
            _adopt_orphans(False)

    async def _start(self, service: Service) -> bool:
        """Starts it and waits until it is ready; False where all are to end."""
        await self._begin(service)
        self._tasks.append(asyncio.create_task(self._keep(service)))
        waiting = asyncio.ensure_future(service.ready())
        await asyncio.wait(
            (waiting, self._ended), timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        if not waiting.done():
            waiting.cancel()
            self._finish(NeverReady(service.name))
            return False
        waiting.result()
        return True

    async def _begin(self, service: Service) -> None:
        process = await asyncio.create_subprocess_exec(
            *service.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=self.environment,
            limit=MAX_LINE_BYTES,
            # A session of its own: the terminal's Ctrl-C reaches this process alone.
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        self._running[service.name] = process
        self._tasks.append(asyncio.create_task(self._relay(service, process)))
        assert process.stdin is not None
        with suppress(ConnectionError):
            process.stdin.write(service.stdin)
            process.stdin.close()

    async def _keep(self, service: Service) -> None:
        """Waits until the service ends, and starts it again, until all are to end."""
        clock = asyncio.get_running_loop().time
        ends = 0
        while True:
            began = clock()
            status = await _exit_status(self._running[service.name])
            lived = clock() - began
            by_itself = ends == 0 and status >= 0 and lived < BEGINNING_SECONDS
            if not self._all_began or by_itself:
                self._finish(Ended(service.name, status))
            if self._ended.done():
                return
            ends = 1 if lived >= WELL_SECONDS else ends + 1
            pause = PAUSES[min(ends, len(PAUSES)) - 1]
            self.log(service.name, f"{_how(status)}; it is started again in {pause:g} s")
            await asyncio.wait((self._ended,), timeout=pause)
            if self._ended.done():
                return
            await self._begin(service)
            if self._ended.done():
                _signal(self._running[service.name], signal.SIGKILL)

    def _finish(self, problem: Problem | None) -> None:
        if not self._ended.done():
            self._ended.set_result(problem)

    async def _relay(self, service: Service, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in _lines(process.stdout):
            self.log(service.name, line)

    async def _reap_orphans(self) -> None:
        """Of a service that died, what it had started becomes this process's, and ends."""
        while not self._ended.done():
            await asyncio.wait((self._ended,), timeout=REAP_SECONDS)
            own = {process.pid for process in self._running.values()}
            for child in set(psutil.Process().children()) - self._spared:
                with suppress(psutil.NoSuchProcess, ChildProcessError):
                    if child.pid not in own and child.status() == psutil.STATUS_ZOMBIE:
                        os.waitpid(child.pid, os.WNOHANG)

    async def _stop_all(self) -> None:
        self._finish(None)
        for process in reversed(self._running.values()):
            _signal(process, signal.SIGTERM)
            try:
                await asyncio.wait_for(_exit_status(process), GRACE_SECONDS)
            except TimeoutError:
                _signal(process, signal.SIGKILL)
                await _exit_status(process)
        _kill_orphans(self._spared)
        await asyncio.gather(*self._tasks)


def _how(status: int) -> str:
    return f"was killed by signal {-status}" if status < 0 else f"exited {status}"


async def _exit_status(process: asyncio.subprocess.Process) -> int:
    # Not process.wait(): that also waits for whoever inherited the process's output.
    await _exit(process.pid)
    while process.returncode is None:
        # asyncio reaps it, in a thread of its own.
        await asyncio.sleep(REAPED_SECONDS)
    return process.returncode


async def _exit(pid: int) -> None:
    """Returns when this child has ended, without looking again and again."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:  # reaped already
        return
    loop.add_reader(pidfd, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(pidfd)
        os.close(pidfd)


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    while True:
        try:
            line = await stream.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            line = end.partial
            if not line:
                return
        except asyncio.LimitOverrunError as long:
            line = await stream.readexactly(long.consumed)
        yield line.decode(errors="replace").rstrip("\r\n")


def _adopt_orphans(yes: bool) -> None:
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)


def die_with_parent() -> None:
    """For a process about to be started: it ends with this one, even where this one is killed
    outright and cannot stop it."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(number)


def _kill_orphans(spared: set[psutil.Process]) -> None:
    for _ in range(MAX_GENERATIONS):
        orphans = set(psutil.Process().children(recursive=True)) - spared
        if not orphans:
            return
        for orphan in orphans:
            with suppress(psutil.NoSuchProcess):
                orphan.kill()
        psutil.wait_procs(list(orphans), timeout=1)
