"""The state of a worker process: the warm fork server, the heartbeat, and the runs under way."""

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from django.conf import settings
from django.db import Error as DatabaseError

from compiler_core import report
from compiler_core.environments import Toolchain, installed
from webapp import logs, metrics
from webapp.origin import is_loopback, strangers
from webapp.periodic import Periodic
from webapp.runs import events, lifecycle, queue, reconcile, turns, workers
from webapp.runs.models import Run, State
from webapp.runs.reconcile import Reconciler
from worker import proof, tallies
from worker.accelerators import present
from worker.config import Config
from worker.heartbeat import Heartbeat, Standing
from worker.lease import RedisLease, somebody_measures
from worker.persist import NotStored, until_stored
from worker.proof import Proof
from worker.sandbox.failures import snippet_failed
from worker.sandbox.probe import require_sandbox
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer, ServerUnavailable
from worker.sandbox.session import Machine, Session
from worker.servers import Servers

log = logging.getLogger(__name__)

T = TypeVar("T")

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
    """What a worker process keeps between runs. `take` may be called from several threads at
    once. `doors` is told whether the worker takes runs, whenever that changes."""

    def __init__(
        self,
        config: Config,
        queues: Sequence[str],
        doors: Callable[[bool], None] = lambda yes: None,
    ) -> None:
        self._config = config
        self._isolate = settings.SANDBOX == "required"
        # Without a sandbox nothing keeps a snippet from any device.
        found = present().items()
        devices = {name: each for name, each in found if name in queues or not self._isolate}
        self._accelerators = tuple(devices.values())
        toolchains = installed(config.toolchains)
        serving = {name: each for name, each in toolchains.items() if each.serves_runs}
        self._servers = Servers(self._server, serving, warm=config.warm_toolchains)
        self._under_way: set[str] = set()
        self._proof = Proof(self._try_a_tiny_run, doors)
        self._heartbeat = Heartbeat(
            queues,
            devices,
            toolchains,
            lambda: [*self._under_way],
            lambda: Standing(self._proof.problem, self._proof.age_s),
            runs=config.runs,
        )
        self._prover = Periodic("proof", proof.EVERY_SECONDS, self._proof.look)
        self._reconciler = Periodic("reconciler", reconcile.LOOK_SECONDS, Reconciler().look)
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
        metrics.serve(settings.WORKER_METRICS)
        self._servers.start()
        self._heartbeat.start()
        self._reconciler.start()
        self._prover.start()

    @property
    def queues(self) -> list[str]:
        """Those of the runs that name a toolchain which this worker has."""
        own = self._heartbeat.worker
        return [queue.address(each, name) for each in own.queues for name in own.toolchains]

    @property
    def all_queues(self) -> list[str]:
        """All that it takes runs from."""
        return [*self._heartbeat.worker.queues, *self.queues]

    def stop_runs(self) -> None:
        """Stops the runs under way, which go back to the queue."""
        self._stopping.set()

    def stop(self) -> None:
        """Ends the fork server and the heartbeat."""
        self.stop_runs()
        self._prover.stop()
        self._reconciler.stop()
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

    def take(self, run_id: str, place: str = "") -> None:
        """Executes the run whose turn it is at `place`, or where the run with this id waits, to its
        end; does nothing if none waits. Raises Stopping, with the run put back, if the worker ends
        before."""
        me = self._heartbeat.worker.id
        run = self._stored(lambda: turns.begin_next(place or _place(run_id), me))
        if run is None:
            return
        self._under_way.add(run.pk)
        try:
            with logs.during(run.pk):
                self._begun(run)
        except Stopping:
            self._stored(lambda: lifecycle.wait_again(run.pk, run.attempt))
            raise
        finally:
            self._under_way.discard(run.pk)

    def _begun(self, run: Run) -> None:
        """Executes a run that is this worker's. Raises Stopping."""
        tallies.begun(run)
        state = "stopped"
        try:
            state, reason = self._explore_whatever_comes(run)
            self._stored(lambda: lifecycle.finish(run.pk, state, reason, run.attempt))
        finally:
            took = tallies.ended(run, state)
        why = f", {reason.stage}" if reason else ""
        log.info("run %s: %s after %.2f s%s", run.pk, state, took, why)

    def _explore_whatever_comes(self, run: Run) -> tuple[str, report.Failure | None]:
        """Executes a run and stores its events as they arrive; returns its final State and, where
        its events do not say it, why it ended. Raises Stopping."""
        try:
            return self._explore(run), None
        except Stopping:
            raise
        except ServerUnavailable as error:
            return State.FAILED, self._failure("not_begun", str(error))
        except events.TooMuch:
            return State.FAILED, self._failure("output", f"more than {events.MOST_BYTES >> 20} MiB")
        except Exception:
            # Whatever it is, nobody should wait for this run.
            log.exception("run %s was given up", run.pk)
            return State.FAILED, self._failure("worker")

    def _failure(self, how: str, detail: str = "") -> report.Failure:
        return snippet_failed(how, self._config.limits, detail=detail).error

    def _explore(self, run: Run) -> str:
        options = msgspec.convert(run.options, report.Options)
        with self._servers.lent(options.toolchain) as server:
            return self._explore_in(server, run, options)

    def _explore_in(self, server: ForkServer, run: Run, options: report.Options) -> str:
        me = self._heartbeat.worker
        session = Session(
            server,
            Request(run.source, options),
            self._config.limits,
            lease=self._lease,
            cancelled=lambda: self._stopping.is_set() or self._is_no_longer_wanted(run),
            others_measure=self._somebody_measures,
            machine=Machine(me.devices, me.versions(options.toolchain) or {}),
        )
        # Whatever comes, no process of the runner is left when this is over.
        with contextlib.closing(session.batches()) as batches:
            for batch in batches:
                tallies.said(batch)
                self._stored(partial(events.append, run.pk, batch, run.attempt))
        tallies.over(session)
        if self._stopping.is_set() and session.cancelled:
            raise Stopping
        if session.cancelled:
            return State.CANCELLED
        if report.failed(session.report):
            return State.FAILED
        self._proof.went_through()
        return State.DONE

    def _try_a_tiny_run(self) -> str:
        """Executes one, beside those under way; returns what went wrong."""
        options = report.Options(device="cpu", compilers=("core",), measure=False)
        with self._servers.lent("") as server:
            session = Session(
                server,
                Request(self._config.tiny, options),
                self._config.limits,
                cancelled=self._stopping.is_set,
                others_measure=self._somebody_measures,
            )
            for _ in session.batches():
                pass
        whole = session.report
        if whole.error is not None:
            return whole.error.message
        return "a tiny run failed" if report.failed(whole) else ""

    def _is_no_longer_wanted(self, run: Run) -> bool:
        with contextlib.suppress(DatabaseError):
            return lifecycle.cancel_requested(run.pk, run.attempt)
        return False

    def _stored(self, what: Callable[[], T]) -> T:
        try:
            return until_stored(what, self._stopping.is_set)
        except NotStored:
            # Another worker begins the run again when this one is silent.
            raise Stopping from None

    def _somebody_measures(self) -> bool:
        return somebody_measures(workers.connection(), self._heartbeat.worker.devices)

    def _lease(self, device: str) -> RedisLease:
        """The lease of one of this worker's devices: a run cannot block any other."""
        own = device if device in self._heartbeat.worker.devices else "cpu"
        return RedisLease(workers.connection(), own)


def _place(run_id: str) -> str:
    """Of a task of an earlier version, which does not say it."""
    run = Run.objects.filter(pk=run_id).only("queue", "options").first()
    return queue.place(run) if run else ""


def loopback_problem(hosts: Sequence[str], redis_url: str) -> str | None:
    """Why the page might be reachable from another machine; None if it is not. Only then may
    snippets run without a sandbox."""
    if names := strangers(hosts):
        return f"FUSELAB_ALLOWED_HOSTS has {', '.join(names)}"
    redis = urlsplit(redis_url)
    if redis.scheme != "unix" and not is_loopback(redis.hostname):
        return f"Redis is at {redis.hostname}"
    return None
