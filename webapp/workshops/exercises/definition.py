"""exercise.toml: read, or refused in one sentence that names the file, the field and the remedy."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from compiler_core import inputs
from webapp.errors import Refusal
from webapp.workshops import toml
from webapp.workshops.courses import markdown
from webapp.workshops.exercises import calls
from webapp.workshops.exercises.kinds import EXAMPLES, Check, Recompiles

FILE = "exercise.toml"
MOST_TOML_BYTES = 32 * 1024
# Of characters that Markdown reads, in all of an exercise's texts: courses/limits.py.
MOST_MARKS = 4_000
_PLACE = re.compile(r" - at `\$\.?(?P<at>[^`]*)`$")
_CALL = 'call = "softmax(f32[1024,512])"'
_KIND = re.compile(r"check\[(?P<number>\d+)\]")


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an exercise wants. `text` and `hints` are Markdown; `call` is what the checks are about:
    a function of the snippet with its inputs, as in "softmax(f32[1024,512])"."""

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    text: Annotated[str, Meta(min_length=1, max_length=8000)]
    call: Annotated[str, Meta(min_length=1, max_length=400)]
    check: Annotated[list[Check], Meta(min_length=1, max_length=12)]
    hints: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=2000)]], Meta(max_length=10)
    ] = []


@lru_cache(maxsize=512)
def read(text: str) -> Definition | Refusal:
    """The definition in an exercise.toml."""
    if len(text.encode()) > MOST_TOML_BYTES:
        return _wrong(f"longer than {MOST_TOML_BYTES:,} bytes", "Cut its texts down.", "toml")
    given = toml.read(text)
    if isinstance(given, str):
        return _wrong(f"not TOML: {given}", "Put texts in quotes and lists in [].", "toml")
    try:
        found = msgspec.convert(given, Definition)
    except msgspec.ValidationError as error:
        return _mistake(str(error), given)
    return _unusable(found) or found


def _unusable(found: Definition) -> Refusal | None:
    """What is wrong with the texts, and with the calls that are made."""
    if (marks := sum(map(markdown.marks, (found.text, *found.hints)))) > MOST_MARKS:
        message = f"its text and hints have {marks:,} line ends and characters such as * [ | and `"
        remedy = f"Cut them down: an exercise has at most {MOST_MARKS:,}."
        return Refusal(422, f"{FILE}: {message}.", remedy, f"{FILE}:text")
    if wrong := _uncallable(found.call):
        return Refusal(422, f"{FILE}, call: {wrong}.", f"Write it as {_CALL}.", f"{FILE}:call")
    for at, check in enumerate(found.check):
        for field, kind, wrong in _wrongs(check):
            place, remedy = f"check[{at}].{field}", f"Write it as {EXAMPLES[kind]}."
            return Refusal(422, f"{FILE}, {place}: {wrong}.", remedy, f"{FILE}:{place}")
    return None


def _wrongs(check: Check) -> Iterator[tuple[str, str, str]]:
    """Of each mistake the field, the kind of check, and what it is."""
    if isinstance(check, Recompiles):
        for each in check.over:
            if isinstance(wrong := calls.call(each), str):
                yield "over", "recompiles", wrong


def _uncallable(text: str) -> str:
    """What is wrong with the exercise's call; blank for nothing."""
    try:
        found = inputs.calls(text)
    except inputs.InputsError as error:
        return f"{error.wrong} (column {error.column}); {error.remedy}"
    return "" if len(found) == 1 and found[0].name else "say what is called with what, once"


def _wrong(what: str, remedy: str, field: str) -> Refusal:
    return Refusal(422, f"{FILE} is {what}.", remedy, field)


def _mistake(message: str, given: dict[str, Any]) -> Refusal:
    """What is wrong with a field, by what msgspec says of it."""
    place = _PLACE.search(message)
    at = place["at"] if place else ""
    return Refusal(422, sentence(FILE, message), _remedy(at, given), f"{FILE}:{at}" if at else FILE)


def sentence(file: str, message: str) -> str:
    """What msgspec says of a file's text, with the place in the words of whoever wrote it."""
    place = _PLACE.search(message)
    words = (message[: place.start()] if place else message).removeprefix("Object ")
    where = f"{file}, {place['at']}" if place and place["at"] else file
    return f"{where}: {words[:1].lower()}{words[1:].replace('`', chr(34))}."


def _remedy(at: str, given: dict[str, Any]) -> str:
    found = _KIND.match(at)
    if found is None:
        if "call" not in given:
            return f"Say which call the checks are about, as in {_CALL}."
        return f"An exercise has {', '.join(Definition.__struct_fields__)}, and no other field."
    check = given["check"][int(found["number"])]
    kind = check.get("kind") if isinstance(check, dict) else None
    if not isinstance(kind, str) or kind not in EXAMPLES:
        return f"Its kind is one of {', '.join(EXAMPLES)}."
    return f"Write it as {EXAMPLES[kind]}."
