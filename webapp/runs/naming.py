"""What somebody calls a run of theirs, read from a request."""

import msgspec

from webapp.errors import Refusal
from webapp.runs.title import LONGEST
from webapp.runs.wire import Naming

_REMEDY = f'Send {{"name": "..."}} with at most {LONGEST} letters.'


def read(body: bytes) -> str | Refusal:
    """The name; blank for that of the source. Or why there is none in the body."""
    try:
        name = msgspec.json.decode(body, type=Naming).name.strip()
    except msgspec.ValidationError as error:
        return Refusal(422, f"The body is wrong: {error}.", _REMEDY, "name")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Refusal(400, "The body is not JSON.", _REMEDY, "body")
    if len(name) > LONGEST:
        return Refusal(422, f"The name has {len(name)} letters.", _REMEDY, "name")
    if not name.isprintable():
        return Refusal(422, "The name has signs that are not seen.", _REMEDY, "name")
    return name
