"""Bounds on the contents of an event, checked on its bytes before anything is built from it: an
empty list takes three bytes in JSON, and twenty times as many as an object."""

from typing import Any

import msgspec

from compiler_core.report import MAX_SOURCE_BYTES, Event, Printed, StageDone
from worker.sandbox.limits import KIB

# Values in one event, and in all events of a run.
MAX_VALUES = 1_000_000
MAX_RUN_VALUES = 8 * MAX_VALUES
MAX_STRING = 64 * KIB
# Characters that a longer one keeps: each may be written as an escape of six bytes.
_KEPT = 8 * KIB
_CUT = (
    f"cut after {_KEPT:,} of {{all:,}} characters: one of more than {MAX_STRING // KIB} KiB is not "
    "kept whole"
)
# The strings that may be longer, by the field that they are of, and the events that may have them.
# A source grows where its signs are written as escapes.
_LONGER = {b"source": 6 * MAX_SOURCE_BYTES}
_WITH_TEXTS = (b'{"type":"stage_done"', b'{"type":"printed"')


class Beyond(ValueError):
    """An event exceeds a bound; the text says which."""


def values(event: bytes) -> int:
    """An upper bound of the number of values in an event, given as JSON. Raises Beyond.

    Bytes that are not JSON pass: the decoder refuses them."""
    # In place of each escape as many other bytes: then every quote begins or ends a string.
    plain = event.replace(rb"\\", b"__").replace(rb"\"", b"__")
    if plain.count(b'"') > 4 * MAX_VALUES:
        raise _too_many()
    pieces = plain.split(b'"')
    found = _signs(b"".join(pieces[0::2]))
    if found > MAX_VALUES:
        raise _too_many()
    if len(event) > MAX_STRING:
        _refuse_long(pieces, event.startswith(_WITH_TEXTS))
    return found


def shortened(event: Event) -> Event:
    """`event` with strings cut to their maximum length, except for texts."""
    whole = {"source", "text"} if isinstance(event, StageDone | Printed) else {"source"}
    return msgspec.convert(_cut(msgspec.to_builtins(event), whole), Event)


def _cut(value: Any, whole: set[str], name: str = "") -> Any:
    match value:
        case str() if len(value) > _KEPT and name not in whole:
            return f"{value[:_KEPT]}... {_CUT.format(all=len(value))}"
        case dict():
            return {key: _cut(each, whole, key) for key, each in value.items()}
        case list():
            return [_cut(each, whole) for each in value]
    return value


def _signs(structure: bytes) -> int:
    return sum(map(structure.count, (b",", b"[", b"{")))


def _refuse_long(pieces: list[bytes], with_texts: bool) -> None:
    """Of the pieces between quotes every second is a string; a field's name is the one before."""
    for at in range(1, len(pieces), 2):
        if len(pieces[at]) > MAX_STRING:
            field = pieces[at - 2] if at > 1 and pieces[at - 1] == b":" else b""
            if field == b"text" and with_texts:
                continue
            if len(pieces[at]) > _LONGER.get(field, MAX_STRING):
                raise Beyond(f"a string of more than {MAX_STRING // KIB} KiB")


def _too_many() -> Beyond:
    return Beyond(f"more than {MAX_VALUES:,} values in one event")
