"""Stored reports open for ever, whichever schema they were stored with."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from compiler_core import report
from compiler_core.report.migrate import STEPS

STORED = Path(__file__).parent / "stored"
REPORTS = sorted(path for path in STORED.glob("*.json"))
EVENTS = sorted(STORED.glob("*.events.jsonl"))


def named(path: Path) -> str:
    return path.name


def test_every_earlier_schema_has_a_stored_report_and_its_events() -> None:
    numbers = [json.loads(path.read_text())["schema"] for path in REPORTS]
    assert numbers == list(range(1, report.SCHEMA))
    assert len(EVENTS) == len(REPORTS)
    assert len(STEPS) == report.SCHEMA - 1


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_a_stored_report_is_decoded_as_one_of_today(path: Path) -> None:
    whole = report.decode_report(path.read_bytes())
    assert whole.schema == report.SCHEMA
    for program in whole.programs:
        [root] = program.graphs
        assert (root.id, root.role, root.name) == (report.WHOLE, "whole", program.name)
        entries = (*program.stages, *program.kernels, *program.buffers, *program.nodes)
        assert {entry.graph for entry in entries} == {root.id}


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_every_field_of_a_stored_report_is_where_it_was(path: Path) -> None:
    stored = json.loads(path.read_text())
    now = json.loads(report.encode_report(report.decode_report(path.read_bytes())))
    assert stored.pop("schema") < now.pop("schema")
    assert kept_of(now, stored) == stored


def kept_of(now: Any, stored: Any) -> Any:
    """`now` without the fields that `stored` has not."""
    match stored:
        case dict():
            return {key: kept_of(now[key], value) for key, value in stored.items()}
        case list():
            assert len(now) == len(stored)
            return [kept_of(a, b) for a, b in zip(now, stored, strict=True)]
        case _:
            return now


@pytest.mark.parametrize("path", EVENTS, ids=named)
def test_stored_events_fold_into_a_report_of_today(path: Path) -> None:
    whole = report.Report()
    for line in path.read_bytes().splitlines():
        report.apply(whole, report.decode_event(line))
    assert whole.schema == report.SCHEMA
    [program] = whole.programs
    assert [graph.id for graph in program.graphs] == [report.WHOLE]
    assert program.status == "ok"
    assert program.stages and program.kernels and program.buffers and program.timings


@pytest.mark.parametrize("path", EVENTS, ids=named)
def test_every_field_of_today_is_in_a_stored_event_that_is_sent_on(path: Path) -> None:
    for line in path.read_bytes().splitlines():
        sent = json.loads(report.current_event(line))
        assert kept_of(sent, json.loads(line)) == json.loads(line)
        match sent["type"]:
            case "program_found":
                assert sent["backend"] == ""
            case "stage_done":
                assert (sent["stage"]["graph"], sent["stage"]["backend"]) == ("whole", "")
            case "facts":
                assert all(k["candidates"] == [] for k in sent.get("kernels", ()))


def test_an_event_of_today_is_sent_on_as_it_was_stored() -> None:
    raw = report.encode_event(report.Facts(0, backend="cpu", kernels=[]))
    assert report.current_event(raw) == raw


def test_a_report_of_today_is_sent_on_as_it_was_stored() -> None:
    raw = report.encode_report(report.Report(protocol="twice"))
    assert report.current(raw) == raw


def test_a_report_of_the_present_schema_is_sent_on_with_fields_that_were_added_since() -> None:
    kernel = {"id": "k0", "kind": "row", "library": None, "ops": [],
              "bytes_read": 0, "bytes_written": 0, "lines": []}  # fmt: skip
    program = {"name": "f", "framework": "torch", "kernels": [kernel]}
    stored = json.dumps({"schema": report.SCHEMA, "programs": [program]}).encode()
    [sent] = json.loads(report.current(stored))["programs"][0]["kernels"]
    assert sent["chosen_with"] == [] and sent["graph"] == report.WHOLE


def test_an_earlier_report_is_sent_on_as_one_of_today() -> None:
    stored = REPORTS[0].read_bytes()
    assert report.current(stored) == report.encode_report(report.decode_report(stored))


@pytest.mark.parametrize("schema", [-3, 0, 1, report.SCHEMA, 99])
def test_no_number_is_too_small_or_too_large(schema: int) -> None:
    whole = report.migrate(report.Report(schema, programs=[report.Program("f", "torch")]))
    assert whole.schema == max(schema, report.SCHEMA)


def test_what_is_no_report_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        report.decode_report(b'{"programs": 3}')
