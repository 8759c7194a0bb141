"""Decodes and validates the body of a request for a run: a NewRun, or a refusal.

Options are checked one by one against report.Options, so that a refusal names the option, its
value, and the allowed values.
"""

import re
from collections.abc import Sequence
from typing import Any, get_args

import msgspec

from compiler_core import inputs, report
from webapp.bodies import decode, unknown, unusable
from webapp.errors import Refusal
from webapp.runs.wire import NewRun

_EXAMPLE = '{"source": "...", "options": {}}'
_FIELDS = {field.name: field for field in msgspec.structs.fields(report.Options)}
_TOP = ("source", "options", "fresh", "editor")
_EDITOR = re.compile(r"[A-Za-z0-9-]{0,40}")
# A NUL character in JSON: no text of a program has one, and PostgreSQL keeps none.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
# Options that are lists, and what they may hold. In one order and once each: the same request has
# the same key however it was written.
_LISTS = {
    "compilers": tuple(c.id for c in report.CHOICES),
    "insides": tuple(i.id for i in report.INSIDES),
}

REMEDIES = {
    "inputs": 'Give text of at most 4000 characters, such as "f32[32,512], f32[512]".',
    "seed": "Give a whole number from 0 on, or null for the usual numbers.",
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
    "trials_first": f"Give a list of at most {report.MAX_TRIALS_FIRST} lines of the snippet, the "
    "first of which is 1.",
    "overrides": (
        f"Give a list of at most {report.MAX_OVERRIDES} objects such as "
        '{"type": "without", "name": "merge-views"}: docs/what-if.md has all kinds.'
    ),
}


def read(body: bytes) -> NewRun | Refusal:
    """The request in `body`, JSON in UTF-8."""
    given = decode(body, _EXAMPLE)
    if isinstance(given, Refusal):
        return given
    for name in given:
        if name not in _TOP:
            return unknown("field", name, name, _TOP)
    fresh = given.get("fresh", False)
    if not isinstance(fresh, bool):
        return unusable("fresh", fresh, "fresh", "Give true or false.")
    editor = read_editor(given.get("editor", ""))
    if isinstance(editor, Refusal):
        return editor
    source = read_source(given.get("source"))
    if isinstance(source, Refusal):
        return source
    options = read_options(given.get("options", {}))
    return options if isinstance(options, Refusal) else NewRun(source, options, fresh, editor)


def read_editor(given: Any) -> str | Refusal:
    """The name of an editor."""
    if isinstance(given, str) and _EDITOR.fullmatch(given):
        return given
    return unusable("editor", given, "editor", "Give at most 40 letters, digits and hyphens.")


def read_source(given: Any) -> str | Refusal:
    """A snippet's text."""
    if not isinstance(given, str):
        return unusable("source", given, "source", "Send the snippet's text.")
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


def read_options(given: Any) -> report.Options | Refusal:
    """The options of a run."""
    if not isinstance(given, dict):
        return unusable("options", given, "options", 'Send an object such as {"target": "sm_90"}.')
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _FIELDS:
            return unknown("option", name, f"options.{name}", tuple(_FIELDS))
        try:
            values[name] = _converted(value, _FIELDS[name].type)
        except msgspec.ValidationError:
            return unusable(f"option {name}", value, f"options.{name}", REMEDIES[name])
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


def _converted(value: Any, kind: Any) -> Any:
    """The value of an option. Raises msgspec.ValidationError."""
    if _NUL.search(msgspec.json.encode(value)):
        raise msgspec.ValidationError("it has a NUL character")
    return msgspec.convert(value, kind)


def _once(overrides: Sequence[report.Override]) -> tuple[report.Override, ...]:
    """In one order and once each, for the same reason."""
    encode = msgspec.json.Encoder(order="sorted").encode
    found = {encode(each): each for each in overrides}
    return tuple(found[key] for key in sorted(found))
