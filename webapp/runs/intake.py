"""Decodes and validates the body of a request for a run: a NewRun, or a refusal.

Options are checked one by one against report.Options, so that a refusal names the option, its
value, and the allowed values.
"""

import json
import re
import sys
from collections.abc import Sequence
from typing import Any, get_args

import msgspec

from compiler_core import inputs, report
from webapp.errors import Refusal
from webapp.runs.wire import NewRun

_SHOWN = 40
_SEND = 'Send an object such as {"source": "...", "options": {}}.'
_FIELDS = {field.name: field for field in msgspec.structs.fields(report.Options)}
_TOP = ("source", "options", "fresh", "editor")
_EDITOR = re.compile(r"[A-Za-z0-9-]{0,40}")
# Options that are lists, and what they may hold. In one order and once each: the same request has
# the same key however it was written.
_LISTS = {
    "compilers": tuple(c.id for c in report.CHOICES),
    "insides": tuple(i.id for i in report.INSIDES),
}

REMEDIES = {
    "inputs": 'Give text of at most 4000 characters, such as "f32[32,512], f32[512]".',
    "device": f"Choose one of {', '.join(get_args(report.DeviceChoice))}.",
    "devices": f'Give a number from 1 to {report.MAX_DEVICES}, or "auto".',
    "target": f"Choose one of {', '.join(get_args(report.Target))}.",
    "compilers": f'Give a list of some of {", ".join(_LISTS["compilers"])}, or "auto"; '
    "eager always runs.",
    "measure": "Give true or false.",
    "toolchain": "Give a name such as jax-0.9; /api/v1/toolchains has those there are.",
    "timeline": "Give true or false.",
    "insides": f"Give a list of some of {', '.join(_LISTS['insides'])}.",
    "trials": "Give true or false.",
    "overrides": (
        f"Give a list of at most {report.MAX_OVERRIDES} objects such as "
        '{"type": "without", "name": "merge-views"}: docs/what-if.md has all kinds.'
    ),
}


def read(body: bytes) -> NewRun | Refusal:
    """The request in `body`, JSON in UTF-8."""
    given = _decode(body)
    if isinstance(given, Refusal):
        return given
    for name in given:
        if name not in _TOP:
            return _unknown("field", name, name, _TOP)
    fresh = given.get("fresh", False)
    if not isinstance(fresh, bool):
        return _unusable("fresh", fresh, "fresh", "Give true or false.")
    editor = given.get("editor", "")
    if not isinstance(editor, str) or not _EDITOR.fullmatch(editor):
        remedy = "Give at most 40 letters, digits and hyphens."
        return _unusable("editor", editor, "editor", remedy)
    source = _source(given.get("source"))
    if isinstance(source, Refusal):
        return source
    options = _options(given.get("options", {}))
    return options if isinstance(options, Refusal) else NewRun(source, options, fresh, editor)


def _decode(body: bytes) -> dict[str, Any] | Refusal:
    if not body.strip():
        return Refusal(400, "The request body is empty.", _SEND, "body")
    try:
        given = msgspec.json.decode(body.decode())
    except UnicodeDecodeError as error:
        message = f"The request body is not UTF-8 text: byte {error.start} cannot be read."
        return Refusal(400, message, "Send JSON in UTF-8.", "body")
    except (msgspec.DecodeError, RecursionError):
        message = f"The request body is not valid JSON: {_mistake(body.decode())}."
        return Refusal(400, message, _SEND, "body")
    if isinstance(given, dict):
        return given
    return _unusable("request body", given, "body", _SEND)


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


def _source(given: Any) -> str | Refusal:
    if not isinstance(given, str):
        return _unusable("source", given, "source", "Send the snippet's text.")
    if not given.strip():
        return Refusal(422, "The source is empty.", "Paste a PyTorch or JAX snippet.", "source")
    size = len(given.encode())
    if size > report.MAX_SOURCE_BYTES:
        return Refusal(
            413,
            f"The source is {size:,} bytes long; at most {report.MAX_SOURCE_BYTES:,} are taken.",
            "Cut it down to the function of interest.",
            "source",
        )
    if "\0" in given:
        line = given.count("\n", 0, given.index("\0")) + 1
        return Refusal(
            422,
            f"The source has a NUL character in line {line}: it is not the text of a program.",
            "Paste Python source.",
            "source",
        )
    return given


def _options(given: Any) -> report.Options | Refusal:
    if not isinstance(given, dict):
        return _unusable("options", given, "options", 'Send an object such as {"target": "sm_90"}.')
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _FIELDS:
            return _unknown("option", name, f"options.{name}", tuple(_FIELDS))
        try:
            values[name] = msgspec.convert(value, _FIELDS[name].type)
        except msgspec.ValidationError:
            return _unusable(f"option {name}", value, f"options.{name}", REMEDIES[name])
    for name in (n for n in _LISTS if isinstance(values.get(n), tuple)):
        values[name] = tuple(each for each in _LISTS[name] if each in values[name])
    values["overrides"] = _once(values.get("overrides", ()))
    try:
        inputs.calls(values.get("inputs", ""))
    except inputs.InputsError as error:
        message = f"The inputs cannot be read: {error.wrong} (column {error.column})."
        return Refusal(
            422, message, f"{error.remedy[0].upper()}{error.remedy[1:]}.", "options.inputs"
        )
    return report.Options(**values)


def _once(overrides: Sequence[report.Override]) -> tuple[report.Override, ...]:
    """In one order and once each, for the same reason."""
    encode = msgspec.json.Encoder(order="sorted").encode
    found = {encode(each): each for each in overrides}
    return tuple(found[key] for key in sorted(found))


def _unknown(kind: str, name: str, where: str, known: tuple[str, ...]) -> Refusal:
    message = f"The {kind} {_shown(name)} is not known."
    return Refusal(422, message, f"Choose among {', '.join(known)}.", where)


def _unusable(name: str, value: Any, where: str, remedy: str) -> Refusal:
    if value is None:
        return Refusal(422, f"The {name} is missing.", remedy, where)
    return Refusal(422, f"The {name} cannot be {_shown(value)}.", remedy, where)


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
