"""Converts reports and events of earlier schemas to the current one."""

import hashlib
from collections.abc import Callable
from functools import cache

import msgspec

from compiler_core.report.events import Event
from compiler_core.report.graphs import Graph
from compiler_core.report.report import SCHEMA, Report


def migrate(report: Report) -> Report:
    """Converts a report of any schema to the current one; changes it in place and returns it.
    Fields that an earlier schema lacks have their defaults already; STEPS do the rest."""
    for step in STEPS[max(0, report.schema - 1) :]:
        step(report)
    report.schema = max(report.schema, SCHEMA)
    return report


def _give_root_graphs(report: Report) -> None:
    """In schema 1 a program had one graph, which was not listed."""
    for program in report.programs:
        program.graphs = program.graphs or [Graph(name=program.name, line=program.entry.line)]


# Step n, counted from 1, makes a report of schema n one of schema n + 1.
STEPS: tuple[Callable[[Report], None], ...] = (_give_root_graphs,)


_decode = msgspec.json.Decoder(Report).decode
_decode_event = msgspec.json.Decoder(Event).decode
_encode = msgspec.json.Encoder().encode


def decode_report(raw: bytes) -> Report:
    """Decodes a report that any version stored or wrote by `--json`. Raises msgspec.DecodeError if
    it is none."""
    return migrate(_decode(raw))


def current(raw: bytes) -> bytes:
    """The JSON of a report with all fields of today: it may have been stored, even with this
    schema, before a field was added. Raises msgspec.DecodeError if it is no report."""
    return _encode(decode_report(raw))


@cache
def form() -> str:
    """A digest of the types of report and events: what was stored with the same digest has every
    field, and need not be decoded and encoded again."""
    _, types = msgspec.json.schema_components((Report, Event))
    return hashlib.sha256(msgspec.json.Encoder(order="sorted").encode(types)).hexdigest()[:16]


def current_event(raw: bytes) -> bytes:
    """The JSON of a stored event with all fields of today, for readers that do not know the
    defaults. Raises msgspec.DecodeError if it is no event."""
    return _encode(_decode_event(raw))
