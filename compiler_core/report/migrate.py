"""Converts reports and events of earlier schemas to the current one."""

import hashlib
from collections.abc import Callable
from functools import cache

import msgspec

from compiler_core.report.events import Event
from compiler_core.report.graphs import Graph
from compiler_core.report.report import SCHEMA, Report


def migrate(report: Report) -> Report:
    """`report`, stored with any schema, as one of the current schema; changed in place.

    A field that an earlier schema lacks already has its default: steps do what no default can."""
    for step in STEPS[max(0, report.schema - 1) :]:
        step(report)
    report.schema = max(report.schema, SCHEMA)
    return report


def _give_root_graphs(report: Report) -> None:
    """Schema 1 had one graph a program, and no word for it."""
    for program in report.programs:
        program.graphs = program.graphs or [Graph(name=program.name, line=program.entry.line)]


# Step n, counted from 1, makes a report of schema n one of schema n + 1.
STEPS: tuple[Callable[[Report], None], ...] = (_give_root_graphs,)


_decode = msgspec.json.Decoder(Report).decode
_decode_event = msgspec.json.Decoder(Event).decode
_encode = msgspec.json.Encoder().encode


def decode_report(raw: bytes) -> Report:
    """A report as it was stored or written by `--json`, at any time. Raises msgspec.DecodeError for
    anything else."""
    return migrate(_decode(raw))


def current(raw: bytes) -> bytes:
    """The JSON of a report in its current form: a report of the current schema may have been stored
    before a field was added."""
    return _encode(decode_report(raw))


@cache
def form() -> str:
    """A digest of the current types: what was written under the same digest has every field, and
    needs no decoding."""
    _, types = msgspec.json.schema_components((Report, Event))
    return hashlib.sha256(msgspec.json.Encoder(order="sorted").encode(types)).hexdigest()[:16]


def current_event(raw: bytes) -> bytes:
    """The JSON of a stored event in its current form, with every field, for readers that know no
    defaults. Events have no schema: fields that an earlier version lacked have their defaults.

    Raises msgspec.DecodeError for anything else."""
    return _encode(_decode_event(raw))
