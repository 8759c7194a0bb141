"""Notifies the watchers of a run that there is something new, which they read from the database.

A lost or doubled notification therefore delays an event and never loses one.
"""

import logging

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def group(run_id: str) -> str:
    return f"run.{run_id}"


def announce(run_id: str) -> None:
    try:
        async_to_sync(get_channel_layer().group_send)(group(run_id), {"type": "run.changed"})
    except (RedisError, OSError) as error:
        # The event is stored, and watchers look for themselves every few seconds.
        log.warning("run %s: could not notify its watchers: %s", run_id, error)
