"""What a number of a report can be: none is less than nothing but for a few that may be, a share is
no more than all, and no time is longer than any run. Checked where an event is decoded, by types
that are made of the report's own: one that a report gains is checked without being named here."""

import types
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, structs

from compiler_core.report import (
    Artifact,
    Buffer,
    ErrorSize,
    Event,
    Measurement,
    Rewrite,
    Row,
    Schedule,
    ScheduleCandidate,
    StageBegan,
    StoredText,
    Summary,
)

# What fits into a column of a database; and a month, in microseconds and in milliseconds.
_MOST = 2**62
_MOST_TIME = 30 * 86_400e6
# One that was not announced ends the run (collector.py).
_ITS_PROGRAM = "program"
_TIMES = ("us", "ms", "seconds")
# Values that are what somebody computed, parameters of a schedule by name, and the selection key,
# of which those below 0 are values of the IR.
SIGNED: dict[type, tuple[str, ...]] = {
    ErrorSize: ("got", "exact"),
    Row: ("cells", "nodes"),
    Schedule: ("parameters",),
    ScheduleCandidate: ("parameters", "free"),
    Artifact: ("nodes",),
    Rewrite: ("nodes",),
    StoredText: ("spans",),
    # Of what is there before the first step, and after the last.
    Buffer: ("first", "last"),
}
SHARES: dict[type, tuple[str, ...]] = {Summary: ("native_share",), StageBegan: ("fraction",)}
# Who sets another number of threads may set more than there are processors.
_MACHINE = 2**16
FEW: dict[type, tuple[str, ...]] = {Measurement: ("processors", "threads", "others")}


def impossible(event: bytes) -> str:
    """What of an event, given as JSON, cannot be: "Expected `int` >= 0 - at `$.nodes[...].id`"; ""
    where all can."""
    try:
        _decoder().decode(event)
    except (msgspec.ValidationError, RecursionError, UnicodeError) as error:
        return str(error)
    return ""


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(checked(Event, Meta()))


def checked(kind: Any, meta: Meta) -> Any:
    """A type as `kind`, whose numbers are within `meta`, and those of structs within theirs."""
    if kind in (int, float):
        return Annotated[kind, meta if kind is int else _of_floats(meta)]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return kind
    if origin in (Union, types.UnionType):
        return reduce(or_, (checked(each, meta) for each in inner))
    if origin in (None, Literal):
        return kind
    return origin[tuple(checked(each, meta) for each in inner)]


@cache
def _struct(kind: type[msgspec.Struct]) -> type[msgspec.Struct]:
    fields = [
        (each.name, checked(each.type, limits(kind, each.name)), _same(each))
        for each in structs.fields(kind)
    ]
    config = kind.__struct_config__
    return msgspec.defstruct(kind.__name__, fields, tag=config.tag, tag_field=config.tag_field)


def _of_floats(meta: Meta) -> Meta:
    """An error may be as large as any number."""
    return Meta(ge=meta.ge) if meta.le == _MOST else meta


def _same(field: structs.FieldInfo) -> Any:
    """It is called so on the wire, and left out where it may be."""
    if field.required:
        return msgspec.field(name=field.encode_name)
    return msgspec.field(default=None, name=field.encode_name)


def limits(kind: type, name: str) -> Meta:
    """Those of the numbers of a field of a struct."""
    if name in SIGNED.get(kind, ()) or name == _ITS_PROGRAM:
        return Meta()
    if name in SHARES.get(kind, ()):
        return Meta(ge=0, le=1)
    if name in FEW.get(kind, ()):
        return Meta(ge=0, le=_MACHINE)
    return Meta(ge=0, le=_MOST_TIME if name.rpartition("_")[2] in _TIMES else _MOST)
