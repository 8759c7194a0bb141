"""A request -> its run: a new one, queued, or the identical one that is there already."""

import hashlib

import msgspec

from compiler_core import report
from webapp.runs import queue, workers
from webapp.runs.models import Run, State, expiry
from webapp.runs.wire import NewRun

_SHARABLE = (State.QUEUED, State.RUNNING, State.DONE)


def create(request: NewRun, owner: str) -> tuple[Run, bool]:
    """The run of `request`, and whether it was there already. `owner` is a token's digest."""
    known = workers.alive()
    queue_name = device_queue(request.options, known)
    key = run_key(request, known.get(queue_name))
    if key and not request.fresh and (found := _identical(key)):
        _join(found, owner)
        return found, True
    run = Run.objects.create(
        source=request.source,
        options=msgspec.to_builtins(request.options),
        queue=queue_name,
        owner=owner,
        key=key,
    )
    queue.enqueue(run)
    return run, False


def _join(run: Run, owner: str) -> None:
    """Whoever asks again has the full time to share the run, and counts as one who needs it."""
    if not run.shared:
        Run.objects.filter(pk=run.pk, shared=False).update(expires=expiry())
    if run.owner != owner:
        Run.objects.filter(pk=run.pk).update(joined=True)


def device_queue(options: report.Options, known: dict[str, workers.WorkerInfo]) -> str:
    """The queue of the device asked for; "auto" is the GPU where one lives.

    A queue that nobody serves would keep the run waiting: another worker says in the run itself
    that it lacks the device.
    """
    gpu = "cuda" in known and known["cuda"].gpu
    wanted = options.device if options.device != "auto" else "cuda" if gpu else "cpu"
    return wanted if wanted in known or not known else min(known)


def run_key(request: NewRun, worker: workers.WorkerInfo | None) -> str:
    """Digest of (source, options, device kind, toolchain); blank while no worker has said
    which versions it runs, for then nothing can be known to be identical."""
    if worker is None:
        return ""
    parts = (request.source, request.options, worker.queue, worker.device, worker.toolchain)
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def _identical(key: str) -> Run | None:
    same = Run.objects.filter(key=key, state__in=_SHARABLE)
    return same.defer("report").order_by("-created").first()
