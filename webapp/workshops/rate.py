"""How often one address may guess codes and pass phrases, and who does not guess: whoever is
inside, has the leader link, or names a room that is known at the address."""

import time
from contextlib import suppress

from django.core.cache import cache
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, UnreadablePostError
from ninja.throttling import AnonRateThrottle
from redis.exceptions import RedisError

from webapp import address, away
from webapp.errors import Refusal
from webapp.runs import owner
from webapp.workshops import leading, reading
from webapp.workshops.models import Workshop, living, named, seated

# Thirty people behind one address, some of whom mistype.
GUESSES = "120/min"
# Rooms that are opened: each may keep some ten MiB for a month.
OPENINGS = "300/hour"
# With which a page looks at the door of a room of which it has the leader link.
LEAD_HEADER = "Fuselab-Lead"
# For how long after somebody came in from an address its room is known there.
_KNOWN_S = 24 * 3600


class Knocks(AnonRateThrottle):
    """Counts those requests to come in, by client address, that name no room.

    An address that has guessed too often is told nothing of rooms, right or wrong, but of those
    into which somebody came from there: thirty people in one building are not kept out by one of
    them who guesses, who learns of no other room.
    """

    scope = "workshops"

    def __init__(self) -> None:
        super().__init__(GUESSES)

    def get_ident(self, request: HttpRequest) -> str:
        """Whom it is counted for."""
        return address.address_of(request)

    def allow_request(self, request: HttpRequest) -> bool:
        try:
            room = _named(request)
            if room is None:
                return super().allow_request(request)
            return _is_theirs(request, room) or not self._is_spent(request)
        except RedisError:
            # Who cannot be counted is let in to try: the page says that Redis is away.
            return True
        except away.DATABASE:
            # The view says that the database is away.
            return True

    def _is_spent(self, request: HttpRequest) -> bool:
        """Whether this address has guessed so often that it may not now."""
        assert self.duration is not None and self.num_requests is not None
        self.key = self.get_cache_key(request)
        self.now = time.time()
        guesses = self.cache.get(self.key, [])
        self.history = [each for each in guesses if each > self.now - self.duration]
        return len(self.history) >= self.num_requests


class Openings(AnonRateThrottle):
    """Counts new rooms by client address."""

    scope = "workshops.opened"

    def __init__(self) -> None:
        super().__init__(OPENINGS)

    def get_ident(self, request: HttpRequest) -> str:
        """Whom it is counted for."""
        return address.address_of(request)

    def allow_request(self, request: HttpRequest) -> bool:
        try:
            return super().allow_request(request)
        except RedisError:
            return True


class Phrases:
    """The wrong pass phrases that one address has said at the door of one room: the most that it
    may say in a minute are those of whoever guesses, and of nobody at another door."""

    _MOST, _PER_S = 120, 60

    def __init__(self, request: HttpRequest, room: Workshop) -> None:
        self._key = f"workshops.phrases.{address.digest_of(request)}.{room.code}"

    def refusal(self) -> Refusal | None:
        """Why another one is not looked at; it may be the right one."""
        with suppress(RedisError):
            if cache.get(self._key, 0) >= self._MOST:
                message = "Too many pass phrases were tried from this address."
                remedy = f"Try again in {self._PER_S} s, or come in over another network."
                return Refusal(429, message, remedy, "pass_phrase", again_s=self._PER_S)
        return None

    def was_wrong(self) -> None:
        """Counts one; those of a minute count together."""
        with suppress(RedisError, ValueError):
            cache.add(self._key, 0, self._PER_S)
            cache.incr(self._key)


def came_in(request: HttpRequest, room: Workshop) -> None:
    """Whoever else is at this address may look for this room."""
    with suppress(RedisError):
        cache.set(_known(request, room), True, _KNOWN_S)


def _known(request: HttpRequest, room: Workshop) -> str:
    return f"workshops.known.{address.digest_of(request)}.{room.code}"


def _named(request: HttpRequest) -> Workshop | None:
    """The room that the request names, if there is one."""
    code = request.resolver_match.kwargs.get("code") if request.resolver_match else None
    return named(code).filter(living()).first() if code else None


def _is_theirs(request: HttpRequest, room: Workshop) -> bool:
    """Whether whoever asks need not have guessed this room's code."""
    who = owner.digest_of(request)
    if who and seated(room).filter(owner=who).exists():
        came_in(request, room)
        return True
    return leading.proves(room.code, _lead(request)) or bool(cache.get(_known(request, room)))


def _lead(request: HttpRequest) -> str:
    """The secret of a leader link, as a page gives it that looks or that joins."""
    if request.method != "POST":
        return request.headers.get(LEAD_HEADER, "")
    with suppress(RequestDataTooBig, UnreadablePostError):
        wanted = reading.joining(request.body)
        return "" if isinstance(wanted, Refusal) else wanted.lead
    return ""
