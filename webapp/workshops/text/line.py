"""The line between a page and its workshop's text: frames as y-protocols has them, and how far the
page has been told.

    0 0 state     what I have; answered by 0 1
    0 1 update    what you lack
    0 2 update    what was changed
    1   presence  where a writer's cursor is, presence.py
"""

from dataclasses import dataclass
from typing import NamedTuple

from pycrdt import (
    Decoder,
    create_awareness_message,
    create_update_message,
    write_message,
)

from webapp.errors import Refusal
from webapp.workshops.text.keeping import Stored

HAVE, LACK, CHANGED, PRESENCE = (0, 0), (0, 1), (0, 2), (1,)
_KINDS = (HAVE, LACK, CHANGED, PRESENCE)
_UNREADABLE = Refusal(
    400, "That is no message of a shared text.", "Send what y-protocols' sync and awareness write."
)


class Message(NamedTuple):
    """A frame that was read: one of the kinds above, and what it carries."""

    kind: tuple[int, ...]
    content: bytes


def read(frame: bytes) -> Message | Refusal:
    """The message in a frame that a page sent."""
    kind = next((each for each in _KINDS if frame[: len(each)] == bytes(each)), None)
    if kind is None:
        return _UNREADABLE
    rest = Decoder(frame[len(kind) :])
    try:
        length = rest.read_var_uint()
    except (IndexError, RuntimeError):
        return _UNREADABLE
    content = rest.stream[rest.i0 :]
    return Message(kind, content) if len(content) == length else _UNREADABLE


def have(state: bytes) -> bytes:
    """The frame that says what the server has of a text."""
    return bytes(HAVE) + write_message(state)


def lack(update: bytes) -> bytes:
    """The frame with what a page lacks."""
    return bytes(LACK) + write_message(update)


changed = create_update_message
presence = create_awareness_message


@dataclass
class Sent:
    """The number of the last change that a page was sent; None until it has said what it has."""

    last: int | None = None

    def hear(self, stored: Stored) -> bytes | None:
        """What to tell the page of a change that was just stored; None if it is to be told nothing
        yet, or if `is_behind`."""
        if self.last != stored.before:
            return None
        self.last = stored.number
        return stored.news

    def is_behind(self, stored: Stored) -> bool:
        """Whether a change before this one was never heard of: the rows have it."""
        return self.last is not None and self.last < stored.before
