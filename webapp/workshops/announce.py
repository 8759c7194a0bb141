"""Announces to the pages of a workshop that something in it changed, which they are told from the
database."""

import logging

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def group(code: str) -> str:
    """The name of the workshop's group in the channel layer."""
    return f"workshop.{code}"


def announce(code: str) -> None:
    """Announces a change. One that is lost is seen a moment later: pages' sockets look for
    themselves."""
    try:
        async_to_sync(get_channel_layer().group_send)(group(code), {"type": "workshop.changed"})
    except (RedisError, OSError) as error:
        log.warning("workshop %s: could not notify its pages: %s", code, error)
