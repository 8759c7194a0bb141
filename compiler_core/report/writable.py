"""Replaces whatever JSON cannot hold in an event by the nearest value that it can."""

from typing import Any

import msgspec

from compiler_core.report.events import Event

_encode = msgspec.json.Encoder().encode


def writable(event: Event) -> Event:
    """`event` itself where JSON can hold it; else a copy with lone surrogates escaped and numbers
    of other libraries as Python's. Raises TypeError for anything else."""
    try:
        _encode(event)
    except (TypeError, UnicodeEncodeError):
        builtins = msgspec.to_builtins(event, enc_hook=_number)
        return msgspec.convert(_with_valid_text(builtins), Event)
    return event


def _number(value: Any) -> Any:
    """numpy's scalars, and all that follow them, have `item`."""
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
