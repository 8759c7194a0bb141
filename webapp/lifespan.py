"""What the web process does beside its requests, from its start to its end."""

from functools import partial
from typing import Any

from django.conf import settings

from webapp import freed, metrics
from webapp.periodic import Periodic


async def lifespan(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The ASGI application of the server's own start and end."""
    # Models can be imported only when Django is set up.
    from webapp.runs import queue, room, turns
    from webapp.runs.reconcile import LOOK_SECONDS, Reconciler
    from webapp.workshops.exercises import attempts

    metrics.serve(settings.METRICS)
    for each in queue.QUEUES:
        metrics.ask("fuselab_waiting", partial(turns.waiting, each), queue=each)
    metrics.ask("fuselab_stored_bytes", room.all_bytes)
    periodic = (
        Periodic("reconciler", LOOK_SECONDS, Reconciler().look),
        Periodic("freed memory", freed.LOOK_SECONDS, freed.Freed().look),
        Periodic("attempts", attempts.LOOK_SECONDS, attempts.look),
    )
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            for each in periodic:
                each.start()
            await send({"type": "lifespan.startup.complete"})
        else:
            for each in periodic:
                each.stop()
            await send({"type": "lifespan.shutdown.complete"})
            return
