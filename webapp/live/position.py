"""The parameter `after` of a WebSocket: the number of the last event that the page has."""

from webapp.errors import Refusal

_DIGITS = 9


def position(text: str) -> int | Refusal:
    """The number in `text`; a refusal if it is none."""
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS:
        return int(text)
    return Refusal(
        400,
        f'after="{text[:40]}" is not the number of an event.',
        "Give the number of the last event that you have, or 0.",
        "after",
    )
