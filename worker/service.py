"""The state of a worker process: the warm fork server, the heartbeat, and the runs under way."""

import contextlib
import logging
import threading
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
from django.conf import settings

from compiler_core import report
from compiler_core.environments import Toolchain, installed
from webapp.runs import events, lifecycle, queue, workers
from webapp.runs.models import Run, State
from worker.accelerators import present
from worker.config import Config
from worker.heartbeat import Heartbeat
from worker.lease import RedisLease
from worker.sandbox.failures import snippet_failed
from worker.sandbox.probe import require_sandbox
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer, ServerUnavailable
from worker.sandbox.session import Session
from worker.servers import Servers

log = logging.getLogger(__name__)

_LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}
_UNCONFINED = "SNIPPETS RUN WITHOUT A SANDBOX: whoever reaches the page can do what this user can."
_NOT_LOOPBACK = (
    "FUSELAB_SANDBOX=off-loopback-only, but {what}: set FUSELAB_SANDBOX=required, or serve on "
    "loopback addresses only."
)


class Refused(Exception):
    """The worker does not start; the text says why, and what to do about it."""


class Stopping(Exception):
    """The worker is shutting down; the run goes back to the queue."""


class Service:
    """What a worker process keeps between runs. `explore` may be called from several threads at
    once."""

    def __init__(self, config: Config, queues: Sequence[str]) -> None:
        self._config = config
        self._isolate = settings.SANDBOX == "required"
        # Without a sandbox nothing keeps a snippet from any device.
        found = present().items()
        devices = {name: each for name, each in found if name in queues or not self._isolate}
        self._accelerators = tuple(devices.values())
        toolchains = installed(config.toolchains)
        serving = {name: each for name, each in toolchains.items() if each.serves_runs}
        self._servers = Servers(self._server, serving, warm=config.warm_toolchains)
        self._heartbeat = Heartbeat(queues, devices, toolchains)
        self._stopping = threading.Event()

    def start(self) -> None:
        """Starts the fork server and the heartbeat. Raises Refused or SandboxUnavailable if
        snippets could not be isolated."""
        if self._isolate:
            require_sandbox()
        elif problem := loopback_problem(settings.ALLOWED_HOSTS, settings.REDIS_URL):
            raise Refused(_NOT_LOOPBACK.format(what=problem))
        else:
            log.warning(_UNCONFINED)
        self._servers.start()
        self._heartbeat.start()

    @property
    def queues(self) -> list[str]:
        """Those of the runs that name a toolchain which this worker has."""
        own = self._heartbeat.worker
        return [queue.address(each, name) for each in own.queues for name in own.toolchains]

    def stop_runs(self) -> None:
        """Stops the runs under way, which go back to the queue."""
        self._stopping.set()

    def stop(self) -> None:
        """Ends the fork server and the heartbeat."""
        self.stop_runs()
        self._heartbeat.stop()
        self._servers.close()

    def _server(self, toolchain: Toolchain | None) -> ForkServer:
        return ForkServer(
            self._config.entry,
            isolate=self._isolate,
            accelerators=self._accelerators,
            extra=self._config.extra,
            warm_up_s=self._config.warm_up_s,
            standby=self._config.limits,
            toolchains=self._config.toolchains,
            toolchain=toolchain,
        )

    def explore(self, run: Run) -> str:
        """Executes a run and stores its events as they arrive; returns its final State. Raises
        Stopping."""
        try:
            return self._explore(run)
        except Stopping:
            raise
        except ServerUnavailable as error:
            failed = snippet_failed("not_begun", self._config.limits, detail=str(error))
            events.append(run.pk, [failed])
            return State.FAILED
        except events.TooMuch:
            most = events.MOST_BYTES >> 20
            failed = snippet_failed("output", self._config.limits, detail=f"more than {most} MiB")
            lifecycle.finish(run.pk, State.FAILED, failed.error)
            return State.FAILED
        except Exception:
            # Whatever it is, nobody should wait for this run.
            log.exception("run %s was given up", run.pk)
            events.append(run.pk, [snippet_failed("worker", self._config.limits)])
            return State.FAILED

    def _explore(self, run: Run) -> str:
        options = msgspec.convert(run.options, report.Options)
        with self._servers.lent(options.toolchain) as server:
            return self._explore_in(server, run, options)

    def _explore_in(self, server: ForkServer, run: Run, options: report.Options) -> str:
        session = Session(
            server,
            Request(run.source, options),
            self._config.limits,
            lease=self._lease,
            cancelled=lambda: self._stopping.is_set() or lifecycle.cancel_requested(run.pk),
        )
        # Whatever comes, no process of the runner is left when this is over.
        with contextlib.closing(session.batches()) as batches:
            for batch in batches:
                events.append(run.pk, batch)
        if self._stopping.is_set() and session.cancelled:
            raise Stopping
        if session.cancelled:
            return State.CANCELLED
        return State.FAILED if report.failed(session.report) else State.DONE

    def _lease(self, device: str) -> RedisLease:
        """The lease of one of this worker's devices: a run cannot block any other."""
        own = device if device in self._heartbeat.worker.devices else "cpu"
        return RedisLease(workers.connection(), own)


def loopback_problem(hosts: Sequence[str], redis_url: str) -> str | None:
    """Why the page might be reachable from another machine; None if it is not. Only then may
    snippets run without a sandbox."""
    if strangers := set(hosts) - _LOOPBACK:
        return f"FUSELAB_ALLOWED_HOSTS has {', '.join(sorted(strangers))}"
    redis = urlsplit(redis_url)
    if redis.scheme != "unix" and redis.hostname not in _LOOPBACK:
        return f"Redis is at {redis.hostname}"
    return None
