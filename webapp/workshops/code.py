"""The code of a workshop: short enough to be read aloud, and too long to be guessed."""

import re
import secrets

# As of runs: no letter that is easily taken for another.
_ALPHABET = "23456789abcdefghijkmnpqrstuvwxyz"
_PART = 4
_CODE = re.compile(f"[{_ALPHABET}]{{{_PART}}}-[{_ALPHABET}]{{{_PART}}}")
LENGTH = 2 * _PART + 1


def new() -> str:
    """A code of 40 random bits, such as "k7mq-2p9x"."""
    signs = [secrets.choice(_ALPHABET) for _ in range(2 * _PART)]
    return f"{''.join(signs[:_PART])}-{''.join(signs[_PART:])}"


def meant(text: str) -> str:
    """The code that somebody wrote down who heard it; "" if it cannot be one. Capitals, and a
    hyphen that is a space or is not there, are what people make of it."""
    signs = re.sub(r"[\s-]", "", text[:40].lower())
    found = f"{signs[:_PART]}-{signs[_PART:]}"
    return found if _CODE.fullmatch(found) else ""
