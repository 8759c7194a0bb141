"""What a worker asks the database about runs that wait. Where that is away, nobody waits, and all
have the order that they had."""

import contextlib
from collections.abc import Collection, Sequence

from django.db import Error as DatabaseError

from webapp.runs import lifecycle, turns


def count(places: Collection[str]) -> int:
    """How many runs wait to begin at any of these places."""
    with contextlib.suppress(DatabaseError):
        return turns.waiting_at(places)
    return 0


def in_order(runs: Sequence[str]) -> Sequence[str]:
    """These runs, by their ids in the order of people, in that in which they go on."""
    with contextlib.suppress(DatabaseError):
        return turns.preferred(runs)
    return runs


def usual_s() -> float:
    """How many seconds runs take, before this worker has had any; 0 where that is not known."""
    with contextlib.suppress(DatabaseError):
        return lifecycle.took_lately_s()
    return 0.0
