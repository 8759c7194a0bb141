"""The order in which the parts of a compiled program run, which XLA calls thunks.

It is read from the serialised executable, a protocol buffer whose schema
(xla/backends/cpu/runtime/thunk.proto, xla/service/cpu/executable.proto) is not published with the
wheel: field 1 is the compilation result, whose field 6 has the thunks, each with its kind (1), the
instruction that it is for (2.1), and what it needs in a field of its kind's; of a kernel, its name
is first in there, and of a loop, a branch or a call, among others the sequences of thunks that it
runs.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from compiler_core import report
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import ModulePlaces

_RESULT, _THUNKS, _ONE, _KIND, _ABOUT, _NAME = 1, 6, 1, 1, 2, 1
_VARINT, _I64, _BYTES, _I32 = 0, 1, 2, 5
# Instructions of an entry computation that do not run anything.
_STILL = frozenset(("parameter", "constant", "bitcast", "tuple", "get-tuple-element"))

_COLUMNS = [
    report.Column("step", about="In this order, or at once where none needs the other."),
    report.Column("kind", about="XLA's word for how it is run."),
    report.Column("instruction"),
    report.Column("kernel", about="Equal instructions share a kernel."),
    report.Column("within", about="The loop, the branch or the call that runs it."),
]
# The kinds of thunks that run others.
CONTROL = frozenset(("while", "conditional", "call"))
KERNEL = "kernel"
_WORD = re.compile(r"[a-z][a-z-]*")


class Unreadable(ValueError):
    """The bytes are not a message of this form."""


@dataclass(frozen=True)
class Thunk:
    """One step of the execution: its kind, its instruction, and the kernel that it runs, "" for
    none; `within` is the instruction of the thunk that runs it."""

    kind: str
    instruction: str
    kernel: str = ""
    within: str = ""


def thunks_of(executable: bytes) -> list[Thunk]:
    """The thunks of a serialised executable, which may begin with a header that has its length. A
    thunk is followed by those that it runs. Raises Unreadable."""
    length, begin = _varint(executable, 0)
    for message in (executable[begin + length :], executable):
        with suppress(Unreadable):
            if found := [t for each in _thunk_messages(message) for t in _thunks(each, "")]:
                return found
    raise Unreadable("no thunks")


def _thunk_messages(message: bytes) -> Iterator[bytes]:
    for result in _of([*_fields(message)], _RESULT):
        for several in _of([*_fields(result)], _THUNKS):
            yield from _of([*_fields(several)], _ONE)


def _thunks(message: bytes, within: str) -> Iterator[Thunk]:
    """A thunk, and those that it runs."""
    fields = [*_fields(message)]
    about = [*_fields(b"".join(_of(fields, _ABOUT)))]
    kind, instruction = (_text(_of(m, n)) for m, n in ((fields, _KIND), (about, _NAME)))
    own = [*_fields(b"".join(value for n, value in fields if n not in (_KIND, _ABOUT)))]
    yield Thunk(kind, instruction, _text(_of(own, _NAME)) if kind == KERNEL else "", within)
    for _, value in own if kind in CONTROL else ():
        yield from _sequence(value, instruction)


def _sequence(message: bytes, within: str) -> list[Thunk]:
    """Its thunks; none where it is something else that a thunk has."""
    try:
        found = [t for each in _of([*_fields(message)], _ONE) for t in _thunks(each, within)]
    except Unreadable:
        return []
    return found if all(_WORD.fullmatch(t.kind) and t.instruction for t in found) else []


def _of(message: list[tuple[int, bytes]], number: int) -> list[bytes]:
    return [value for n, value in message if n == number]


def _text(values: list[bytes]) -> str:
    try:
        return values[0].decode() if values else ""
    except UnicodeDecodeError as error:
        raise Unreadable("a name is no text") from error


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each field that has bytes; numbers are passed over."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        size = {_VARINT: 0, _I64: 8, _I32: 4}.get(wire)
        if wire in (_VARINT, _BYTES):
            value, at = _varint(message, at)
            size = value if wire == _BYTES else 0
        if not number or size is None or at + size > len(message):
            raise Unreadable("no message")
        if wire == _BYTES:
            yield number, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and where it ends."""
    number = shift = 0
    while at < len(message):
        byte = message[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
    raise Unreadable("a number does not end")


def of_schedule(module: hlo.Module) -> list[Thunk]:
    """The steps of the execution from the order of the module's text alone, without the kinds of
    thunks and their kernels."""
    entry = module.entry.instructions if module.entry else ()
    return [Thunk("", i.name) for i in entry if i.opcode not in _STILL]


def stage(executable: bytes, places: ModulePlaces) -> tuple[report.Stage, list[Thunk]]:
    """The stage that shows the thunks, and the thunks."""
    summary = ""
    try:
        thunks = thunks_of(executable)
    except Unreadable:
        thunks = of_schedule(places.module)
        summary = "how each is run could not be read from this version's executable"
    rows = [_row(number, each, places) for number, each in enumerate(thunks)]
    table = report.Table("thunks", _COLUMNS, rows, "What runs, in its order.")
    summary = summary or _kinds(thunks)
    return report.Stage("thunks", "ok", 0.0, summary=summary, tables=[table]), thunks


def _kinds(thunks: list[Thunk]) -> str:
    counts = dict.fromkeys(t.kind for t in thunks)
    return ", ".join(f"{sum(t.kind == kind for t in thunks)} {kind}" for kind in counts)


def _row(number: int, thunk: Thunk, places: ModulePlaces) -> report.Row:
    words = (thunk.kind, thunk.instruction, thunk.kernel, thunk.within)
    cells: list[report.Cell] = [number, *(word or None for word in words)]
    found = places.module.named(thunk.instruction)
    if found is None:
        return report.Row(cells)
    return report.Row(cells, places.all_ids(found), places.line(found))
