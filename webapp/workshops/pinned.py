"""What a room has pinned is what runs that are asked for in it have, whatever the page asks for."""

import re

import msgspec

from compiler_core import report
from webapp.runs.wire import NewRun
from webapp.workshops.models import Workshop, living

# The editor of a page in a room is called by the room's code and the seat.
_EDITOR = re.compile(r"(?P<code>[a-z0-9-]+)-(?P<seat>\d{1,18})")


def as_pinned(request: NewRun, owner: str) -> NewRun:
    """The request as it is meant where it comes from a seat of the person with the digest
    `owner`."""
    said = _EDITOR.fullmatch(request.editor)
    pinned = _pinned(said["code"], int(said["seat"]), owner) if said else {}
    if not pinned:
        return request
    options = msgspec.convert(msgspec.to_builtins(request.options) | pinned, report.Options)
    return msgspec.structs.replace(request, options=options)


def _pinned(code: str, seat: int, owner: str) -> dict[str, str]:
    """Nothing where that is not their seat."""
    theirs = {"seats": seat, "seats__owner": owner, "seats__left": False, "seats__removed": False}
    rooms = Workshop.objects.filter(living(), code=code, **theirs)
    found: dict[str, str] = rooms.values_list("options", flat=True).first() or {}
    return found
