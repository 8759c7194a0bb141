"""What is said while the database, Redis or the queue is away: nothing of the request is stored."""

from django.db import InterfaceError, InternalError, OperationalError
from redis.exceptions import RedisError

from webapp.errors import Refusal
from webapp.runs.queue import QueueUnreachable

AGAIN_S = 5
_REMEDY = f"Try again in {AGAIN_S} s."
# Of a database that cannot be reached, is locked, full, or may only be read: it may take the same
# later.
DATABASE = (OperationalError, InterfaceError, InternalError)
_OF_DATABASE = Refusal(
    503, "The database does not answer, or takes nothing new.", _REMEDY, again_s=AGAIN_S
)
REFUSALS: dict[type[Exception], Refusal] = {
    RedisError: Refusal(503, "Redis cannot be reached.", _REMEDY, again_s=AGAIN_S),
    QueueUnreachable: Refusal(503, "The queue cannot be reached.", _REMEDY, again_s=AGAIN_S),
    **dict.fromkeys(DATABASE, _OF_DATABASE),
}


def refusal(error: Exception) -> Refusal | None:
    """What is said of this error; None if nothing is away."""
    return next((said for kind, said in REFUSALS.items() if isinstance(error, kind)), None)
