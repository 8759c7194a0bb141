"""What somebody calls a run of theirs, read from a request."""

from webapp.bodies import decode, unusable
from webapp.errors import Refusal
from webapp.runs.title import LONGEST

_REMEDY = f'Send {{"name": "..."}} with at most {LONGEST} letters.'


def read(body: bytes) -> str | Refusal:
    """The name; blank for that of the source. Or why there is none in the body."""
    given = decode(body, '{"name": "..."}')
    if isinstance(given, Refusal):
        return given
    if not isinstance(given.get("name"), str):
        return unusable("name", given.get("name"), "name", _REMEDY)
    name = given["name"].strip()
    if len(name) > LONGEST:
        return Refusal(422, f"The name has {len(name)} letters.", _REMEDY, "name")
    if not name.isprintable():
        return Refusal(422, "The name has signs that are not seen.", _REMEDY, "name")
    return name
