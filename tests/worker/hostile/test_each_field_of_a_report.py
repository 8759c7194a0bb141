"""Of each field of a report it is known who says it. A number that cannot be is not in the report,
whatever it is of, and marks it; what is a run's own word is listed here, and said to be so in
docs/security.md."""

import types
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
from msgspec import structs

from compiler_core import report
from compiler_core.report import Event, Options, apply
from tests.worker.conftest import LIMITS
from worker.sandbox import possible
from worker.sandbox.collector import Collector
from worker.sandbox.protocol import Request
from worker.sandbox.sense import Sense

pytestmark = pytest.mark.null

MARK = "The run's process said what cannot be so ("
# Put there by the worker, or checked against what it knows (worker/sandbox/sense.py, named.py).
OVERWRITTEN = {
    *("Started.toolchain", "Snippet.sha256", "Snippet.source", "Device.name", "Device.kind"),
    *("Measurement.baseline", "Finished.protocol"),
}
# A compiler's name is one that there is, and of times, errors and outputs one that was asked for.
NAMED = {"compiler", "fastest", "timings", "numerics", "outputs"}
# Texts that the run's process says: what the compiler read, wrote and found. What a page shows of
# them is text, and none of it is said to be by the service.
PREDICATE = "its other figures and texts are what the run's process said"
_BESIDE = {"by_service", "program"}


def structs_of(kind: Any, seen: dict[str, type[msgspec.Struct]]) -> None:
    """All struct types that a type is made of, by name."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind.__name__ not in seen:
            seen[kind.__name__] = kind
            for each in structs.fields(kind):
                structs_of(each.type, seen)
        return
    for each in get_args(kind):
        if not isinstance(each, str):
            structs_of(each, seen)


ALL: dict[str, type[msgspec.Struct]] = {}
structs_of(Event, ALL)


def scalars(kind: Any) -> set[type]:
    """The plain types that values of a field are made of, but for structs."""
    if kind in (int, float, str):
        return {kind}
    if get_origin(kind) is Literal or (isinstance(kind, type) and kind not in (int, float, str)):
        return set()
    return set().union(*map(scalars, get_args(kind))) if get_args(kind) else set()


def numbers() -> Iterator[tuple[str, str]]:
    for name, kind in ALL.items():
        for each in structs.fields(kind):
            if scalars(each.type) & {int, float}:
                yield name, each.name


def smallest(kind: Any, field: str = "", value: Any = None) -> Any:
    """The smallest JSON of a type; `value` is that of `field` of a struct."""
    if kind in (int, float):
        return 1
    if kind is str:
        return "x"
    if kind in (bool, type(None)):
        return None if kind is type(None) else False
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return inner[0]
    if origin is list:
        return []
    if origin is dict:
        return {}
    if origin in (Union, types.UnionType):
        return smallest(inner[0])
    if origin is not None and hasattr(kind, "__metadata__"):
        return smallest(inner[0])
    made = {each.encode_name: smallest(each.type) for each in structs.fields(kind) if each.required}
    if tag := kind.__struct_config__.tag:
        made[kind.__struct_config__.tag_field] = tag
    if field:
        made[field] = value
    return made


def forged(kind: Any, value: Any) -> Any:
    """JSON of a value of a field's type, in which the first number is `value`."""
    if kind in (int, float):
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list:
        return [forged(inner[0], value)]
    if origin is tuple:
        return [forged(each, value) for each in inner if each is not Ellipsis]
    if origin is dict:
        return {"eager": forged(inner[1], value)}
    for each in inner:
        if scalars(each) & {int, float}:
            return forged(each, value)
    raise AssertionError(kind)


def ways(target: str) -> Iterator[tuple[type[msgspec.Struct], list[tuple[str, Any]]]]:
    """How an event holds a struct: the event's type, and the fields on the way with their types."""
    for event in get_args(Event):
        yield from ((event, way) for way in _ways(event, target, []))


def _ways(
    kind: type[msgspec.Struct], target: str, path: list[tuple[str, Any]]
) -> Iterator[list[tuple[str, Any]]]:
    if kind.__name__ == target:
        yield path
        return
    for each in structs.fields(kind):
        inside: dict[str, type[msgspec.Struct]] = {}
        structs_of(each.type, inside)
        if target in inside and len(path) < 5:
            for child in _next(each.type):
                yield from _ways(child, target, [*path, (kind.__name__, each)])


def _next(kind: Any) -> Iterator[type[msgspec.Struct]]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
        return
    for each in get_args(kind):
        if not isinstance(each, str):
            yield from _next(each)


def held(kind: Any, child: type[msgspec.Struct], made: Any) -> Any:
    """JSON of a field's type that holds `made`, of the struct `child`."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is child:
        return made
    if origin is list:
        return [held(inner[0], child, made)]
    if origin is dict:
        return {"eager": held(inner[1], child, made)}
    return next(held(each, child, made) for each in inner if child in _next(each))


def event_with(name: str, field: str, value: Any) -> bytes:
    """An event that holds a struct of this name, of which one field is forged."""
    kind = ALL[name]
    [chosen] = [each for each in structs.fields(kind) if each.name == field]
    made = smallest(kind, chosen.encode_name, forged(chosen.type, value))
    event, way = next(ways(name))
    child = kind
    for owner, each in reversed(way):
        made = smallest(ALL[owner], each.encode_name, held(each.type, child, made))
        child = ALL[owner]
    made[event.__struct_config__.tag_field] = event.__struct_config__.tag
    return msgspec.json.encode(made)


def told(payload: bytes) -> tuple[list[str], list[Any]]:
    """The marks of a report, and the events that are believed."""
    request = Request("x = 1", Options())
    collector = Collector(LIMITS, Sense(request, {"cpu": "An Honest CPU"}, {}))
    found = report.ProgramFound(0, "f", "torch", report.Entry(), [])
    for each in (found, report.ProgramFound(1, "g", "torch", report.Entry(), [])):
        collector.event(report.encode_event(each))
    before = collector.take()
    collector.event(payload)
    events = collector.take()
    whole = reduce(apply, [*before, *events], report.Report())
    marks = [each.text for each in whole.notices if each.text.startswith(MARK)]
    return marks, [msgspec.to_builtins(each) for each in events]


def is_signed(name: str, field: str) -> bool:
    return field in possible.SIGNED.get(ALL[name], ())


CHECKED = [
    (name, field)
    for name, field in numbers()
    if not is_signed(name, field)
    and field not in _BESIDE
    and name not in ("Options", "Started")
    # What a run's options say is overwritten, and has bounds of its own.
    and name not in ("WithoutPass", "ForbiddenEdge", "ForcedEdge", "WantedSchedule")
    # Of the number of threads the worker says how many there can be.
    and (name, field) != ("Device", "threads")
]


@pytest.mark.parametrize(("name", "field"), CHECKED, ids=lambda each: each)
def test_no_number_is_less_than_nothing(name: str, field: str) -> None:
    forgery = -20_251_129
    marks, events = told(event_with(name, field, forgery))
    assert len(marks) == 1, events
    assert str(forgery) not in str([each for each in events if each["type"] != "noticed"])


def test_a_number_is_as_large_as_it_can_be() -> None:
    for name, field, value in (
        ("Timing", "pays_after_calls", 2**63),
        ("Measurement", "processors", 1_000_000),
        ("Summary", "native_share", 1.5),
        ("Phase", "ms", 1e13),
    ):
        marks, events = told(event_with(name, field, value))
        assert len(marks) == 1, events
        assert str(value) not in str([each for each in events if each["type"] != "noticed"])


def test_the_fewest_numbers_are_a_runs_own_word() -> None:
    signed = {
        f"{kind.__name__}.{each}" for kind, names in possible.SIGNED.items() for each in names
    }
    assert signed <= {f"{name}.{field}" for name, field in numbers()}
    assert len(signed) < len(CHECKED) / 4


def test_what_is_overwritten_is_in_the_report() -> None:
    there = {f"{n}.{each.name}" for n, kind in ALL.items() for each in structs.fields(kind)}
    assert there >= OVERWRITTEN
    assert {each.partition(".")[2] for each in there} >= NAMED


def test_it_is_said_that_all_else_is_the_runs_word() -> None:
    text = " ".join((Path(__file__).parents[3] / "docs" / "security.md").read_text().split())
    assert PREDICATE in text.lower()
