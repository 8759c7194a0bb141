"""A request's body as a JSON object, or the refusal that says where it is none."""

import json
import re
import sys
from collections.abc import Collection
from typing import Any

import msgspec

from webapp.errors import Refusal

_SHOWN = 40
# A text within JSON, or what begins as one. What is outside of texts becomes lists, objects and
# numbers, of which each takes thirty times its length.
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_MOST_OUTSIDE = 128 * 1024


def decode(body: bytes, example: str) -> dict[str, Any] | Refusal:
    """The object in `body`, JSON in UTF-8; a refusal's remedy is to send one like `example`."""
    send = f"Send an object such as {example}."
    if not body.strip():
        return Refusal(400, "The request body is empty.", send, "body")
    if (outside := len(_TEXT.sub(b"", body))) > _MOST_OUTSIDE:
        message = f"The request body has {outside:,} characters outside of its texts"
        return Refusal(413, f"{message}; at most {_MOST_OUTSIDE:,} are taken.", send, "body")
    try:
        given = msgspec.json.decode(body.decode())
    except UnicodeDecodeError as error:
        message = f"The request body is not UTF-8 text: byte {error.start} cannot be read."
        return Refusal(400, message, "Send JSON in UTF-8.", "body")
    except (msgspec.DecodeError, RecursionError):
        message = f"The request body is not valid JSON: {_mistake(body.decode())}."
        return Refusal(400, message, send, "body")
    return given if isinstance(given, dict) else unusable("request body", given, "body", send)


def _mistake(text: str) -> str:
    """What is wrong and where, from the standard library's slower but clearer decoder."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg[0].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        return "it is nested too deep"
    except ValueError:
        # Python reads no number of more digits, which it says in its own words.
        return f"it holds a number of more than {sys.get_int_max_str_digits():,} digits"
    return "it holds a number or a character that no text can, such as NaN or half of a pair"


def unknown(kind: str, name: str, where: str, known: Collection[str]) -> Refusal:
    """The refusal that says that nothing of this `kind` has the name that was given."""
    message = f"The {kind} {shown(name)} is not known."
    return Refusal(422, message, f"Choose among {', '.join(known)}.", where)


def unusable(name: str, value: Any, where: str, remedy: str) -> Refusal:
    """The refusal that says that a value cannot be used, or is missing where it is None."""
    if value is None:
        return Refusal(422, f"The {name} is missing.", remedy, where)
    return Refusal(422, f"The {name} cannot be {shown(value)}.", remedy, where)


def shown(value: Any) -> str:
    """The beginning of a value, as JSON."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
