"""The state of a worker process: the warm fork server, the heartbeat, and the runs under way."""

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import msgspec
from django.conf import settings
from django.db import connections
from kombu.exceptions import OperationalError

from compiler_core import report
from compiler_core.environments import Toolchain, installed
from webapp import metrics
from webapp.periodic import Periodic
from webapp.runs import events, lifecycle, queue, reconcile, workers
from webapp.runs.models import Run, State
from webapp.runs.reconcile import Reconciler
from webapp.runs.verdict import where
from worker import proof, tallies, waiting
from worker.accelerators import present
from worker.beginning import Beginning
from worker.config import Config
from worker.heartbeat import Heartbeat, Standing
from worker.lease import AfterBeginners, RedisLease, line_of
from worker.loopback import loopback_problem
from worker.memory import share_free
from worker.others import OtherRuns
from worker.persist import NotStored, until_stored
from worker.places import Place, Places
from worker.proof import Proof
from worker.sandbox.equipment import Equipment
from worker.sandbox.failures import snippet_failed
from worker.sandbox.groups import groups_in
from worker.sandbox.probe import require_sandbox
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer, ServerUnavailable
from worker.sandbox.session import Host, Session
from worker.servers import Servers
from worker.unbegun import Unbegun
from worker.under_way import Stopping, UnderWay

log = logging.getLogger(__name__)

T = TypeVar("T")

# How often it is looked which runs are still wanted, and which may go on.
_LOOK_S = 0.2
# And so often where one waits that leaves its place to whoever comes.
_SOON_S = 0.05
_UNCONFINED = "SNIPPETS RUN WITHOUT A SANDBOX: whoever reaches the page can do what this user can."


class Refused(Exception):
    """The worker does not start; the text says why, and what to do about it."""


class Service:
    """What a worker process keeps between runs. `take` may be called from several threads at
    once. `doors` is told whether the worker takes runs, whenever that changes. Raises Unusable of
    the folder of control groups."""

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
        toolchains = installed(config.toolchains)
        serving = {name: each for name, each in toolchains.items() if each.serves_runs}
        groups = groups_in(config.cgroup) if self._isolate else None
        self._equipment = Equipment(tuple(devices.values()), config.toolchains, groups)
        self._servers = Servers(self._server, serving, warm=config.warm_toolchains)
        self._under_way, self._unbegun = UnderWay(self._send_again), Unbegun()
        self._places = Places(
            config.runs,
            config.parked,
            waiting=lambda: waiting.count(self.all_queues),
            memory=lambda: share_free() > config.memory_kept,
            precedence=waiting.in_order,
            usual_s=waiting.usual_s(),
        )
        self._beginning = Beginning(self._places, lambda: self._heartbeat.worker.id, self._stored)
        self._others = OtherRuns(workers.connection, lambda: self._heartbeat.worker.devices)
        self._proof = Proof(self._try_a_tiny_run, doors)
        self._heartbeat = Heartbeat(
            queues, devices, toolchains, lambda: self._under_way.ids, self._standing, config.runs
        )
        self._periodic = (
            Periodic("reconciler", reconcile.LOOK_SECONDS, Reconciler().look),
            Periodic("freezer", reconcile.LOOK_SECONDS, lifecycle.freeze_left),
            Periodic("usher", _LOOK_S, self._look_at_runs),
            Periodic("proof", proof.EVERY_SECONDS, self._proof.look),
        )
        self._stopping = threading.Event()

    def _standing(self) -> Standing:
        age, beginning_s = self._proof.age_s, self._places.beginning_s
        return Standing(self._proof.problem, self._servers.problem, age, beginning_s)

    def start(self) -> None:
        """Starts the fork server and the heartbeat. Raises Refused or SandboxUnavailable if
        snippets could not be isolated."""
        if self._isolate:
            require_sandbox()
        elif problem := loopback_problem(settings.ALLOWED_HOSTS, settings.REDIS_URL):
            raise Refused(problem)
        else:
            log.warning(_UNCONFINED)
        metrics.serve(settings.WORKER_METRICS)
        metrics.ask("fuselab_standing", lambda: self._places.standing)
        self._servers.start()
        self._heartbeat.start()
        for each in self._periodic:
            each.start()

    @property
    def queues(self) -> list[str]:
        """The queues of runs that name a toolchain which this worker has."""
        own = self._heartbeat.worker
        return [queue.address(each, name) for each in own.queues for name in own.toolchains]

    @property
    def all_queues(self) -> list[str]:
        """All that it takes runs from."""
        return [*self._heartbeat.worker.queues, *self.queues]

    def stop_runs(self) -> None:
        """Stops the runs under way, which go back to the queue. They need not be over yet."""
        self._stopping.set()

    def stop(self) -> None:
        """Ends the fork server and the heartbeat."""
        self.stop_runs()
        self._under_way.join()
        for each in reversed(self._periodic):
            each.stop()
        self._heartbeat.stop()
        self._servers.close()

    def _server(self, toolchain: Toolchain | None) -> ForkServer:
        return ForkServer(
            self._config.entry,
            isolate=self._isolate,
            equipment=self._equipment,
            extra=self._config.extra,
            warm_up_s=self._config.warm_up_s,
            standby=self._config.limits,
            toolchain=toolchain,
        )

    def take(self, run_id: str, place: str = "") -> None:
        """Begins the run whose turn it is at `place`, or where the run with this id waits; does
        nothing if none waits. Returns when the run has shown its first IR, or has ended; what
        follows is done meanwhile. Raises Stopping, with the run put back, if the worker ends
        before."""
        at = place or self._stored(partial(queue.place_of, run_id))
        while True:
            while not (self._servers.takes_runs and self._places.open()):
                if self._stopping.wait(_LOOK_S):
                    raise Stopping
            if begun := self._beginning.next(at):
                run, own = begun
                return self._under_way.execute(run, own, partial(self._begun, run, own))
            if not self._beginning.is_kept_back(at):
                return None
            if self._stopping.wait(_SOON_S):
                raise Stopping

    def _begun(self, run: Run, place: Place) -> None:
        """Executes a run that is this worker's. Raises Stopping, with the run put back."""
        tallies.begun(run)
        state = "stopped"
        try:
            state, reason = self._explore_whatever_comes(run, place)
            self._stored(lambda: lifecycle.finish(run.pk, state, reason, run.attempt))
        except Stopping:
            self._stored(lambda: lifecycle.wait_again(run.pk, run.attempt))
            raise
        finally:
            took = tallies.ended(run, state)
        why = f", {reason.stage}" if reason else ""
        log.info("run %s: %s after %.2f s%s", run.pk, state, took, why)

    def _explore_whatever_comes(self, run: Run, place: Place) -> tuple[str, report.Failure | None]:
        """Executes a run and stores its events as they arrive; returns its final State and, where
        its events do not say it, why it ended. Raises Stopping."""
        try:
            return self._explore(run, place), None
        except Stopping:
            raise
        except ServerUnavailable as error:
            if self._unbegun.may_wait_again(run):
                raise Stopping from None
            return State.FAILED, self._failure("not_begun", str(error))
        except events.TooMuch:
            return State.FAILED, self._failure("output", f"more than {events.MOST_BYTES >> 20} MiB")
        except Exception:
            # Whatever it is, nobody should wait for this run.
            log.exception("run %s was given up", run.pk)
            return State.FAILED, self._failure("worker")

    def _failure(self, how: str, detail: str = "") -> report.Failure:
        return snippet_failed(how, self._config.limits, detail=detail).error

    def _explore(self, run: Run, place: Place) -> str:
        options = msgspec.convert(run.options, report.Options)
        with self._servers.lent(options.toolchain) as server:
            return self._explore_in(server, run, place, options)

    def _explore_in(
        self, server: ForkServer, run: Run, place: Place, options: report.Options
    ) -> str:
        me = self._heartbeat.worker
        session = Session(
            server,
            Request(run.source, options),
            self._config.limits,
            lease=self._lease,
            cancelled=lambda: self._stopping.is_set() or self._under_way.is_unwanted(run),
            others=self._others,
            place=place,
            host=Host(me.devices, me.versions(options.toolchain) or {}),
        )
        # The server of a toolchain starts with the run.
        session.patient = bool(options.toolchain)
        # Whatever comes, no process of the runner is left when this is over.
        with contextlib.closing(session.batches()) as batches:
            for batch in batches:
                tallies.said(batch)
                self._stored(partial(events.append, run.pk, batch, run.attempt))
                if place.stands:
                    # There may be more of them than a database takes connections.
                    connections.close_all()
        tallies.over(session)
        if self._stopping.is_set() and session.cancelled:
            raise Stopping
        if session.cancelled:
            return State.CANCELLED
        if report.failed(session.report):
            log.info("run %s: failed at %s", run.pk, where(session.report))
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
                others=self._others,
            )
            for _ in session.batches():
                pass
        return proof.failing(session.report)

    def _look_at_runs(self) -> None:
        self._under_way.look()
        self._places.look()

    def _send_again(self, run: Run) -> None:
        """Of a run that was put back; without Redis the reconciler does it later."""
        with contextlib.suppress(OperationalError):
            queue.send(run.pk, queue.place(run))

    def _stored(self, what: Callable[[], T]) -> T:
        try:
            return until_stored(what, self._stopping.is_set)
        except NotStored:
            # Another worker begins the run again when this one is silent.
            raise Stopping from None

    def _lease(self, device: str) -> AfterBeginners:
        """The lease of one of this worker's devices: a run cannot block any other."""
        own = device if device in self._heartbeat.worker.devices else "cpu"
        lease = RedisLease(workers.connection(), own)
        return AfterBeginners(lease, lambda: self._places.somebody_begins, line_of(own))
