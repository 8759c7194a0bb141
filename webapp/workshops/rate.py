"""How often one address may knock: codes and pass phrases are not to be tried out."""

from django.http import HttpRequest
from ninja.throttling import AnonRateThrottle
from redis.exceptions import RedisError

# Thirty people behind one address, some of whom mistype.
_KNOCKS = "120/min"


class Knocks(AnonRateThrottle):
    """Counts requests to come in by client address."""

    scope = "workshops"

    def __init__(self) -> None:
        super().__init__(_KNOCKS)

    def allow_request(self, request: HttpRequest) -> bool:
        try:
            return super().allow_request(request)
        except RedisError:
            # Who cannot be counted is let in to try: the page says that Redis is away.
            return True
