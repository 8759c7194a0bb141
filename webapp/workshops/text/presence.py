"""Where the cursor of a writer is: y-protocols' awareness, with the name that the server knows."""

import json
from typing import Any, NamedTuple

from pycrdt import Decoder, Encoder

from webapp.workshops.models import Seat

# Positions before and after which two characters stand; a name is not in it.
_MOST_BYTES = 1000
# What pages can count with.
_NUMBERS = 2**53 - 1


class Presence(NamedTuple):
    """Where the cursor of one page is: `cursor` has two of Yjs' relative positions, None while it
    is nowhere. `clock` rises with each that the page `client` says."""

    client: int
    clock: int
    cursor: Any


def read(content: bytes) -> Presence | None:
    """What a page says of itself; None where it says something else."""
    numbers = Decoder(content)
    try:
        if len(content) > _MOST_BYTES or numbers.read_var_uint() != 1:
            return None
        client, clock = numbers.read_var_uint(), numbers.read_var_uint()
        if max(client, clock) >= _NUMBERS:
            return None
        state = json.loads(numbers.read_var_string())
        # Python reads what is no JSON, such as NaN, and would hand it on to pages that do not.
        json.dumps(state, allow_nan=False)
    except (IndexError, RuntimeError, ValueError, RecursionError):
        return None
    return Presence(client, clock, state.get("cursor") if isinstance(state, dict) else None)


def written(said: Presence, seat: Seat) -> bytes:
    """The message as the others are sent it: whose it is says the server."""
    user = {"seat": seat.pk, "name": seat.name}
    return _encoded(said, {"user": user, "cursor": said.cursor})


def gone(said: Presence) -> bytes:
    """The message that says that the page has left."""
    return _encoded(said._replace(clock=said.clock + 1), None)


def _encoded(said: Presence, state: Any) -> bytes:
    encoder = Encoder()
    for number in (1, said.client, said.clock):
        encoder.write_var_uint(number)
    # With names as escapes: the encoder counts characters where it should count bytes.
    encoder.write_var_string(json.dumps(state))
    return encoder.to_bytes()
