"""Announces to the watchers of a run that there are new events, which they read from the database.

A lost or repeated announcement may delay an event, and never loses one.
"""

import logging

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def group(run_id: str) -> str:
    """The name of the run's group in the channel layer."""
    return f"run.{run_id}"


def announce(run_id: str) -> None:
    """Announces new events of the run."""
    try:
        async_to_sync(get_channel_layer().group_send)(group(run_id), {"type": "run.changed"})
    except (RedisError, OSError) as error:
        # The event is stored, and watchers look for themselves every few seconds.
        log.warning("run %s: could not notify its watchers: %s", run_id, error)
