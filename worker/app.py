"""The Celery application: `celery -A worker.app worker -Q cpu,cuda`.

Tasks run in threads. A task begins a run and is over when that has shown its first IR; what follows
goes on beside Celery (under_way.py), and the database knows whose it is. One process keeps one warm
server and 100 MB where a pool of processes would keep several. Celery cannot interrupt a thread:
each run's own deadline does, and Redis hands a task that nobody finished to another worker. This
process never imports torch or jax.
"""

import os
import sys
from functools import partial

from celery import Celery, signals
from celery.apps.worker import Worker
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

from worker.config import config  # Django's settings must be named before

CONFIG = config()

app = Celery("fuselab")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    include=["worker.tasks"],
    worker_pool="threads",
    worker_concurrency=CONFIG.runs,
    worker_prefetch_multiplier=1,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    # Holds in a pool of processes, should one be chosen on the command line.
    task_time_limit=CONFIG.visibility_s,
    broker_transport_options={
        **app.conf.broker_transport_options,
        "visibility_timeout": CONFIG.visibility_s,
        # Look for tasks of dead workers every 5 s; by default it would be every 100.
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
    },
)


if settings.LOG == "json":
    # Who answers this signal has set up what Celery would else log in lines of its own.
    signals.setup_logging.connect(lambda **_: None, weak=False)


@signals.worker_init.connect
def _start(sender: Worker, **_: object) -> None:
    """Before any task is taken. An exception would be logged and forgotten here: exit instead."""
    from worker import running
    from worker.descriptors import provided
    from worker.sandbox.groups import Unusable
    from worker.sandbox.probe import SandboxUnavailable
    from worker.service import Refused

    queues = sender.app.amqp.queues
    try:
        running.start(
            provided(CONFIG), list(queues.consume_from), partial(_take_runs, sender.hostname)
        )
    except (Refused, SandboxUnavailable, Unusable) as refusal:
        sys.stderr.write(f"{refusal}\n")
        raise SystemExit(1) from None
    for name in running.service().queues:
        queues.select_add(queues[name])


def _take_runs(hostname: str, yes: bool) -> None:
    """Has the worker with this name take runs from its queues, or leave them there."""
    from worker import running

    change = app.control.add_consumer if yes else app.control.cancel_consumer
    for name in running.service().all_queues:
        change(name, destination=[hostname])


@signals.worker_shutting_down.connect
def _stop_runs(**_: object) -> None:
    from worker import running

    running.service().stop_runs()


@signals.worker_shutdown.connect
def _stop(**_: object) -> None:
    from worker import running

    running.service().stop()
