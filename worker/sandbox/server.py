"""Keeps one warm fork server running, which forks a runner for each run."""

import contextlib
import logging
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from compiler_core.environments import Toolchain
from worker import figures
from worker.sandbox import bubblewrap, protocol
from worker.sandbox.equipment import PLAIN, Equipment
from worker.sandbox.files import Files, channels
from worker.sandbox.limits import Limits
from worker.sandbox.standby import StandbyRunner

log = logging.getLogger(__name__)

PIPELINE = "compiler_core.pipeline"
# Warming up takes 5 s on two idle processors.
WARM_UP_S = 60.0
ATTEMPTS = 3
_STARTS = "the compiler is being started"
_FAILS = f"the compiler failed to start {ATTEMPTS} times in a row; the worker's log says why"
# A server is asked so often whether it is there, and is ended if it has not said so after a while:
# it does nothing that takes longer than a fork.
PING_S, PONG_S = 2.0, 5.0
# A runner begins in some 20 ms. Until then a server that stands still has been noticed.
_BEGIN_S = 10.0
# How often somebody who waits is asked whether it still matters.
_LOOK_S = 0.2
# Before the next start, after none, one, two and more failed ones.
_PAUSE_S = (0.2, 1.0, 5.0, 30.0)

_TIMEVAL = struct.Struct("@ll")


class ServerUnavailable(Exception):
    """The fork server cannot be started, or has died and is not running again yet."""


class ForkServer:
    """Starts the server and restarts it when it dies; a context manager that ends it on exit.

    `standby`: the limits of a runner that is forked in advance for the next run; None for none.
    `toolchain`: one of the equipment's; None for the environment of this process.
    """

    def __init__(
        self,
        entry: str = PIPELINE,
        *,
        isolate: bool = True,
        equipment: Equipment = PLAIN,
        extra: tuple[Path, ...] = (),
        warm_up_s: float = WARM_UP_S,
        standby: Limits | None = None,
        toolchain: Toolchain | None = None,
    ) -> None:
        self.entry, self.isolate, self.extra = entry, isolate, extra
        self.equipment, self._toolchain = equipment, toolchain
        self.name = toolchain.name if toolchain else "main environment"
        self._warm_up_s, self._standby = warm_up_s, StandbyRunner(standby)
        self._process: subprocess.Popen[bytes] | None = None
        # All there were, and those that failed since it was last warm.
        self.starts = self.failures = 0
        self._control: socket.socket | None = None
        self._ready, self._closing = threading.Event(), threading.Event()
        self._sending = threading.Lock()
        # bubblewrap dies with the *thread* that started it, so that thread lives as long.
        self._keeper = threading.Thread(target=self._keep, name="fork-server", daemon=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> None:
        """Starts the server without waiting until it is warm."""
        self._keeper.start()

    def close(self) -> None:
        """Ends the server and all of its runners."""
        self._closing.set()
        self._kill()
        if self._keeper.is_alive():
            self._keeper.join(timeout=5)

    @property
    def pid(self) -> int | None:
        """Process id of bubblewrap, or of the server itself where nothing is isolated."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    @property
    def warm(self) -> bool:
        """Whether the server is ready to fork runners."""
        return self._ready.is_set()

    @property
    def gives_up(self) -> bool:
        """Whether it failed to start again and again."""
        return self.failures >= ATTEMPTS

    @property
    def problem(self) -> str:
        """Why it forks no runners now; "" where it does."""
        words = _FAILS if self.gives_up else _STARTS + " again" * (self.starts > 1)
        return "" if self.warm else words

    def wait(self, given_up: Callable[[], bool] = lambda: False) -> bool:
        """Waits until the server is warm; False where it was `given_up` before. Raises
        ServerUnavailable if it fails to start again and again."""
        while not self._ready.wait(_LOOK_S):
            if given_up():
                return False
            if self.gives_up or self._closing.is_set():
                raise ServerUnavailable(self.problem)
        return True

    def begin(self, limits: Limits, *, patient: bool = True) -> Files:
        """The files of a new runner, which waits for its request. Raises ServerUnavailable, and at
        once where nobody is `patient` and the server is not warm."""
        if files := self._standby.take(limits):
            return files
        for _ in range(ATTEMPTS):
            if not patient and not self.warm:
                raise ServerUnavailable(self.problem)
            self.wait()
            if files := self._begin_once(limits):
                if _has_begun(files):
                    return files
                files.close()
            time.sleep(_LOOK_S)  # it has just died: the keeper is about to notice
        raise ServerUnavailable("the compiler's server ends, or stands still, again and again")

    def prepare(self) -> None:
        """Forks the standby runner of the next run, if one is wanted."""
        self._standby.refill(self._begin_once)

    def _begin_once(self, limits: Limits) -> Files | None:
        ours, theirs = channels()
        if self._ask(limits, theirs):
            return ours
        ours.close()
        return None

    def _ask(self, limits: Limits, files: list[int]) -> bool:
        try:
            with self._sending:
                if self._control is None:
                    return False
                socket.send_fds(self._control, [protocol.encode(limits)], files)
                return True
        except OSError:
            return False
        finally:
            for file in files:
                os.close(file)

    def _keep(self) -> None:
        while not self._closing.is_set():
            lived = self._live_once()
            self.failures = 0 if lived else self.failures + 1
            if not self._closing.is_set():
                when = "" if lived else " before it was warm"
                log.warning("the fork server (%s) ended%s", self.name, when)
            self._closing.wait(_PAUSE_S[min(self.failures, len(_PAUSE_S) - 1)])

    def _live_once(self) -> bool:
        """Runs one server process to its end; returns whether it became ready."""
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # A server that stands still takes no requests: who sends one does not wait for ever.
        control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(int(PONG_S), 0))
        try:
            process = self._spawn(theirs)
        except OSError as error:
            log.error("the fork server does not start: %s", error)
            control.close()
            return False
        finally:
            theirs.close()
        self.starts += 1
        began = time.monotonic()
        ready = _readable(control, 2 * self._warm_up_s) and _says_ready(control)
        if ready and not self._closing.is_set():
            took = time.monotonic() - began
            log.info("the compiler's server (%s) is warm after %.1f s", self.name, took)
            self._control = control
            self._ready.set()
            self.prepare()
            self._ask_until_it_is_gone(control)
        # Whatever it is that no longer answers, or never did.
        self._kill()
        process.wait()
        self._standby.drop()
        with self._sending:
            self._ready.clear()
            self._control = None
            control.close()
        return ready

    def _ask_until_it_is_gone(self, control: socket.socket) -> None:
        while not _readable(control, PING_S):
            try:
                with self._sending:
                    control.send(protocol.PING)
                if not _readable(control, PONG_S):
                    log.error("the fork server (%s) no longer answers and is ended", self.name)
                    return
                if control.recv(protocol.MAX_PACKET) != protocol.PONG:
                    return
            except OSError:
                return

    def _spawn(self, control: socket.socket) -> subprocess.Popen[bytes]:
        namespace = bubblewrap.root_namespace() if self.isolate else None
        config = protocol.ServerConfig(self.entry, control.fileno(), self.isolate)
        files = [control.fileno()] + ([namespace] if namespace is not None else [])
        try:
            process = subprocess.Popen(
                [*self._walls(namespace), self._python(), *_server(config)],
                pass_fds=files,
                stdin=subprocess.DEVNULL,
                env=self._environment(),
                start_new_session=True,  # Ctrl-C is for the worker, which ends the server
            )
        finally:
            if namespace is not None:
                os.close(namespace)
        self._process = process
        return process

    def _walls(self, namespace: int | None) -> list[str]:
        if not self.isolate:
            return []  # it ends when the control socket is hung up
        return bubblewrap.arguments(
            self.equipment.accelerators,
            namespace=namespace,
            extra=self.extra,
            toolchains=self.equipment.toolchains,
        )

    def _python(self) -> str:
        if self.isolate:
            return bubblewrap.interpreter(self._toolchain)
        return str(self._toolchain.python) if self._toolchain else sys.executable

    def _environment(self) -> dict[str, str]:
        if self.isolate:
            return bubblewrap.environment(self.extra) | figures.environment()
        path = os.pathsep.join(map(str, (bubblewrap.PROJECT, *self.extra)))
        return bubblewrap.ENVIRONMENT | {"PYTHONPATH": path} | figures.environment()

    def _kill(self) -> None:
        """With bubblewrap its child, which dies with it only once its namespaces are made: killed
        before, bubblewrap would leave it waiting for ever."""
        if (pid := self.pid) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


def _says_ready(control: socket.socket) -> bool:
    try:
        return control.recv(protocol.MAX_PACKET) == protocol.READY
    except ConnectionError:
        return False


def _readable(end: socket.socket, seconds: float) -> bool:
    """Whether there is something to read, or nobody left to write it, within these seconds."""
    poller = select.poll()
    poller.register(end, select.POLLIN)
    return bool(poller.poll(1000 * seconds))


def _has_begun(files: Files) -> bool:
    """Whether the runner says within _BEGIN_S how its beginning went."""
    return _readable(files.status, _BEGIN_S) and bool(files.status.recv(1, socket.MSG_PEEK))


def _server(config: protocol.ServerConfig) -> list[str]:
    return ["-m", "worker.sandbox.inside.server", protocol.encode(config).decode()]
