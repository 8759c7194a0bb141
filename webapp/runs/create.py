"""Creates and queues the run for a request, or finds an identical run."""

import hashlib
from collections.abc import Callable, Sequence

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from compiler_core import report
from webapp import metrics
from webapp.errors import Refusal, Refused
from webapp.runs import asks, queue, room, workers
from webapp.runs.models import Run, State
from webapp.runs.title import title
from webapp.runs.wire import NewRun

_TOOLCHAIN = "options.toolchain"
# What other rooms make of a request by the person with this digest, which they add when they are
# loaded.
MEANT: list[Callable[[NewRun, str], NewRun]] = []
_SHARABLE = (State.QUEUED, State.RUNNING, State.DONE)


def create(request: NewRun, owner: str, address: str = "") -> tuple[Run, bool]:
    """The run, and whether it existed already. `owner` is the digest of the requester's token,
    `address` that of where they ask from; "" where the service asks for itself.

    Raises Refused (422) where no worker has the toolchain that the request names, and (429, 503) if
    there is no room for a new run, or too many of theirs wait."""
    for meant in MEANT:
        request = meant(request, owner)
    known = _having(request.options.toolchain, workers.alive())
    queue_name = device_queue(request.options, known)
    key = run_key(request, queue_name, workers.serving(queue_name, known))
    if key and not request.fresh and (found := _joined(request, key, known, owner)):
        metrics.count("fuselab_asked_total", queue=queue_name, found="there")
        return found, True
    full = room.refusal(owner, address) or _too_many_wait(owner, request.editor)
    if refusal := full or _too_many_wait_here(address):
        raise Refused(refusal)
    # Whoever is told that it could not be stored leaves no run behind.
    with transaction.atomic():
        run = Run.objects.create(
            source=request.source,
            source_bytes=len(request.source.encode()),
            title=title(request.source),
            options=msgspec.to_builtins(request.options),
            queue=queue_name,
            owner=owner,
            address=address,
            key=key,
        )
        asks.ask(run, owner, request.editor)
        asks.replace(owner, request.editor, by=run)
        queue.enqueue(run)
    metrics.count("fuselab_asked_total", queue=queue_name, found="new")
    return run, False


def _too_many_wait(owner: str, editor: str) -> Refusal | None:
    """What waits of the same editor is replaced, and does not count."""
    waiting = asks.waiting(owner)
    others = waiting.exclude(editor=editor).count() if editor else waiting.count()
    if others < settings.WAITING:
        return None
    message = f"{others} of your runs wait already, and no more than {settings.WAITING} may."
    return Refusal(429, message, "Wait until one of them has begun, or cancel one.")


def _too_many_wait_here(address: str) -> Refusal | None:
    """Whoever keeps no cookie is somebody new with each run, behind whom everybody would wait."""
    waiting = Run.objects.filter(state=State.QUEUED, address=address)
    if not address or waiting.count() < settings.ADDRESS_WAITING:
        return None
    message = f"{settings.ADDRESS_WAITING} runs that were asked for from this address wait already."
    return Refusal(429, message, "Try again when some of them have begun.")


def _having(name: str, known: Sequence[workers.WorkerInfo]) -> list[workers.WorkerInfo]:
    """Those of `known` that have the toolchain `name`; where no worker lives, nothing can be known.
    Raises Refused."""
    having = [each for each in known if each.versions(name) is not None]
    if known and not having:
        raise Refused(_no_toolchain(name, sorted({n for each in known for n in each.toolchains})))
    return having


def _no_toolchain(name: str, there: Sequence[str]) -> Refusal:
    choose = f"Choose one of {', '.join(there)}, or none" if there else "There is none: name none"
    message = f'No worker has the toolchain "{name}".'
    return Refusal(422, message, f"{choose} for the versions that it has anyway.", _TOOLCHAIN)


def device_queue(options: report.Options, known: Sequence[workers.WorkerInfo]) -> str:
    """The queue for the requested device; for "auto" the last of DEVICES that a live worker has,
    else the first.

    If no worker serves that queue, the run goes to the other one, and its report says that the
    worker lacks the device."""
    has = (d for d in reversed(report.DEVICES) if any(worker.has(d) for worker in known))
    wanted = next(has, report.DEVICES[0]) if options.device == "auto" else options.device
    served = {queue for worker in known for queue in worker.queues}
    return wanted if wanted in served or not served else min(served)


def run_key(request: NewRun, queue_name: str, takers: Sequence[workers.WorkerInfo]) -> str:
    """Digest of (source, options, device kind, versions); blank while no worker has said which
    versions it runs, for then nothing can be known to be identical.

    Any of `takers` may execute the run, so the key has every distinct pair of device and toolchain
    among them, in one order. It does not change with the order in which they report, nor when one
    of several equal workers starts or stops; it changes when a device or a version appears or
    disappears, so that no result outlives the versions that it came from."""
    if not takers:
        return ""
    encode = msgspec.json.Encoder(order="sorted").encode
    name = request.options.toolchain
    kinds = sorted({encode((_device(queue_name, t), t.versions(name), t.extras)) for t in takers})
    parts = (request.source, request.options, queue_name, [kind.decode() for kind in kinds])
    return hashlib.sha256(encode(parts)).hexdigest()


def _device(queue_name: str, worker: workers.WorkerInfo) -> str:
    """Name of the device that `worker` executes a run of the queue on."""
    return worker.devices.get(queue_name, worker.devices["cpu"])


def _joined(
    request: NewRun, key: str, known: Sequence[workers.WorkerInfo], owner: str
) -> Run | None:
    """An identical run, for which they have asked as well; None if there is none."""
    with transaction.atomic():
        found = _identical(key, known)
        if found is not None:
            asks.ask(found, owner, request.editor)
            asks.replace(owner, request.editor, by=found)
        return found


def _identical(key: str, known: Sequence[workers.WorkerInfo]) -> Run | None:
    """The newest run with this key that is done, waits, or runs in one of `known`: nobody is given
    one whose worker may be gone. Until the transaction ends, nobody cancels or deletes it."""
    orphaned = Q(state=State.RUNNING) & ~Q(worker__in=[each.id for each in known])
    same = Run.objects.filter(key=key, state__in=_SHARABLE).exclude(orphaned)
    held = same.select_for_update(no_key=True)
    return held.defer("report").order_by("-created").first()
