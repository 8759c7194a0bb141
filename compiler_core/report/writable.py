"""Replaces values in an event that JSON cannot represent by the nearest that it can."""

from typing import Any

import msgspec

from compiler_core.report.events import Event

_encode = msgspec.json.Encoder().encode


def writable(event: Event) -> Event:
    """The event itself if it can be encoded; else a copy with lone surrogates escaped and scalars
    of numpy as Python numbers. Raises TypeError for anything else."""
    try:
        _encode(event)
    except (TypeError, UnicodeEncodeError):
        builtins = msgspec.to_builtins(event, enc_hook=_number)
        return msgspec.convert(_with_valid_text(builtins), Event)
    return event


def _number(value: Any) -> Any:
    """The Python number of a scalar of numpy or torch. Raises TypeError for anything else."""
    if getattr(value, "shape", None) == ():
        return value.item()
    raise TypeError(f"a report cannot hold {type(value).__name__}")


def _with_valid_text(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case list() | tuple():
            return [_with_valid_text(each) for each in value]
        case dict():
            return {_with_valid_text(k): _with_valid_text(v) for k, v in value.items()}
    return value
