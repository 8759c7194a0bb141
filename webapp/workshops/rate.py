"""How often one address may knock: codes and pass phrases are not to be tried out."""

from django.http import HttpRequest
from ninja.throttling import AnonRateThrottle
from redis.exceptions import RedisError

from webapp import away
from webapp.runs import owner
from webapp.workshops.models import living, named, seated

# Thirty people behind one address, some of whom mistype.
_KNOCKS = "120/min"


class Knocks(AnonRateThrottle):
    """Counts requests to come in by client address, but for those of who is inside: thirty people
    who load the page again at once are not kept from it."""

    scope = "workshops"

    def __init__(self) -> None:
        super().__init__(_KNOCKS)

    def allow_request(self, request: HttpRequest) -> bool:
        if _is_inside(request):
            return True
        try:
            return super().allow_request(request)
        except RedisError:
            # Who cannot be counted is let in to try: the page says that Redis is away.
            return True


def _is_inside(request: HttpRequest) -> bool:
    """Whether whoever asks has a seat in the room that the request names."""
    code = request.resolver_match.kwargs.get("code") if request.resolver_match else None
    who = owner.digest_of(request)
    if not code or not who:
        return False
    try:
        return any(seated(room).filter(owner=who).exists() for room in named(code).filter(living()))
    except away.DATABASE:
        # The view says that the database is away.
        return False
