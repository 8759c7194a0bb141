"""Reads the bodies of requests: the fields that are taken, each checked, or a refusal."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from webapp.bodies import decode, unknown, unusable
from webapp.errors import Refusal
from webapp.runs import intake
from webapp.runs.models import named as run_named
from webapp.runs.title import visible
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.models import COMMENT, NAME, PLACE, TAB, TITLE
from webapp.workshops.wire import Joining, NewWorkshop

PASS_PHRASE = 100
_PINNED = ("device", "target", "toolchain")
# The path of a run and what is shown of it, as the page's address has them.
_PLACE = re.compile(r"/r/[a-z0-9]{24}(#[\w.=&%+-]*)?")
_TAB = re.compile(rf"[A-Za-z0-9]{{0,{TAB}}}")

Reader = Callable[[Any], Any]


def read(body: bytes, readers: Mapping[str, Reader], example: str) -> dict[str, Any] | Refusal:
    """The fields of `body` that `readers` has, each read by its own."""
    given = decode(body, example)
    if isinstance(given, Refusal):
        return given
    found = dict[str, Any]()
    for field, value in given.items():
        if field not in readers:
            return unknown("field", field, field, tuple(readers))
        said = readers[field](value)
        if isinstance(said, Refusal):
            return said
        found[field] = said
    return found


def new_workshop(body: bytes) -> NewWorkshop | Refusal:
    """The request for a workshop."""
    example = '{"title": "Fusion for beginners", "name": "Ada"}'
    readers: dict[str, Reader] = {
        "title": title, "name": name, "pass_phrase": pass_phrase, "options": _options,
        "course": _course,
    }  # fmt: skip
    found = read(body, readers, example)
    if isinstance(found, Refusal):
        return found
    for field in ("title", "name"):
        if field not in found:
            missing: Refusal = readers[field](None)
            return missing
    return NewWorkshop(**found)


def joining(body: bytes) -> Joining | Refusal:
    """The request for a seat."""
    readers = {"name": name, "pass_phrase": pass_phrase, "lead": _text}
    found = read(body, readers, '{"name": "Ada"}')
    if isinstance(found, Refusal):
        return found
    return Joining(**found) if "name" in found else name(None)


def title(given: Any) -> str | Refusal:
    """A workshop's title."""
    return _line("title", given, TITLE)


def name(given: Any) -> Any:
    """A person's name."""
    return _line("name", given, NAME)


def _line(what: str, given: Any, longest: int) -> str | Refusal:
    text = visible(" ".join(given.split())) if isinstance(given, str) else ""
    if 0 < len(text) <= longest:
        return text
    return unusable(what, given, what, f"Give a line of 1 to {longest} characters.")


def comment(given: Any) -> str | Refusal:
    """What a leader says to a seat; blank takes it back."""
    if given == "":
        return ""
    return _line("comment", given, COMMENT)


def read_comment(given: Any) -> str | Refusal:
    """The request by which a seat says that it has read a comment: blank."""
    return "" if given == "" else unusable("comment", given, "comment", 'Give "" when it was read.')


def pass_phrase(given: Any) -> str | Refusal:
    """A pass phrase; blank for none."""
    if isinstance(given, str) and len(given) <= PASS_PHRASE:
        return given.strip()
    remedy = f"Give at most {PASS_PHRASE} characters."
    return Refusal(422, "The pass phrase cannot be taken.", remedy, "pass_phrase")


def truth(what: str) -> Reader:
    """A reader of true or false."""

    def reader(given: Any) -> bool | Refusal:
        if isinstance(given, bool):
            return given
        return unusable(what, given, what, "Give true or false.")

    return reader


def place(given: Any) -> str | Refusal:
    """Where a leader is: the path and fragment of a permalink."""
    if isinstance(given, str) and len(given) <= PLACE and _PLACE.fullmatch(given):
        return given
    return unusable("place", given, "place", "Give the path of a run and its fragment.")


def tab(given: Any) -> str | Refusal:
    """What a tab calls itself."""
    if isinstance(given, str) and _TAB.fullmatch(given):
        return given
    return unusable("tab", given, "tab", f"Give at most {TAB} letters and digits.")


def run(given: Any) -> str | Refusal:
    """The id of a run that there is; blank for none."""
    if given == "" or (isinstance(given, str) and run_named(given).exists()):
        return str(given)
    return unusable("run", given, "run", "Give the id of a run.")


def _text(given: Any) -> str | Refusal:
    return given if isinstance(given, str) else unusable("link", given, "lead", "Give its text.")


def _course(given: Any) -> str | Refusal:
    """The name of a course that there is; blank for none."""
    if given == "" or (isinstance(given, str) and given in shelf()):
        return str(given)
    return unusable("course", given, "course", f"Choose among {', '.join(shelf())}, or none.")


def _options(given: Any) -> dict[str, str] | Refusal:
    """Those that are pinned, as they were written, where a run could have them."""
    if not isinstance(given, dict):
        return unusable("options", given, "options", 'Give an object such as {"target": "sm_90"}.')
    for option in given:
        if option not in _PINNED:
            return unknown("option", option, f"options.{option}", _PINNED)
    checked = intake.read_options(given)
    if isinstance(checked, Refusal):
        return checked
    values: dict[str, str] = msgspec.to_builtins({each: getattr(checked, each) for each in given})
    return values
