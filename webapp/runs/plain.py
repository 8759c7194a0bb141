"""The text that is in the JSON of a stored one, piece by piece: a text may be of 16 MiB, and who
reads it slowly holds none of it whole."""

import base64
import re
from collections.abc import Iterable, Iterator

_BEGINS = b'{"text":"'
# As much as is whole of the inside of a JSON string, up to the quote that ends it.
_INSIDE = re.compile(rb'(?:[^"\\]++|\\u[0-9A-Fa-f]{4}|\\[^u])*+', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:u(....)|(.))", re.DOTALL)
_SHORT = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
# Four characters of base64 are three bytes.
_GROUP = 4
_BASE64 = re.compile(rb"([A-Za-z0-9+/]*+)(=*+)")


def text(stored: Iterable[bytes]) -> Iterator[bytes]:
    """The text of a report.Text, in UTF-8, from the pieces of its JSON."""
    held, has_begun = b"", False
    for each in stored:
        held += each
        if not has_begun:
            if len(held) < len(_BEGINS):
                continue
            held, has_begun = held.removeprefix(_BEGINS), True
        inside = _INSIDE.match(held)
        assert inside is not None
        yield _ESCAPE.sub(_meant, inside[0])
        held = held[inside.end() :]
        if held.startswith(b'"'):
            return


def _meant(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return chr(int(escape[1], 16)).encode(errors="replace")
    return _SHORT.get(escape[2], escape[2])


def is_file(parts: Iterable[bytes]) -> bool:
    """Whether a text is base64: of a runner that breaks the rules it may be none."""
    length = padding = 0
    for each in parts:
        found = _BASE64.fullmatch(each)
        if found is None or (padding and found[1]):
            return False
        length, padding = length + len(each), padding + len(found[2])
    return length % _GROUP == 0 and padding < _GROUP - 1


def file(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes of a file whose text is in base64."""
    held = b""
    for each in parts:
        held += each
        whole = len(held) // _GROUP * _GROUP
        yield base64.b64decode(held[:whole])
        held = held[whole:]
