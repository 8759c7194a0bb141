"""The rate limit of new runs per client address. The counts are in the cache, in Redis."""

from django.conf import settings
from django.http import HttpRequest
from ninja.throttling import AnonRateThrottle
from redis.exceptions import RedisError

from webapp.address import address_of


class RunRate(AnonRateThrottle):
    """Counts requests for new runs by client address."""

    def __init__(self) -> None:
        super().__init__(settings.RUN_RATE)

    def get_ident(self, request: HttpRequest) -> str:
        """Whom it is counted for."""
        return address_of(request)

    def allow_request(self, request: HttpRequest) -> bool:
        try:
            return super().allow_request(request)
        except RedisError:
            # The view needs Redis too, and says that it cannot be reached.
            return True
