"""What is timed until the first IR, on messages as the WebSocket sends them."""

import json

import pytest

from bench.first_ir import has_ir, summary
from compiler_core import report


def message(event: report.Event) -> dict[str, object]:
    return {"seq": 1, "event": json.loads(report.encode_event(event))}


def stage(*kinds: str) -> dict[str, object]:
    texts = [report.Artifact(kind, kind, "text", "...") for kind in kinds]
    return message(report.StageDone(0, report.Stage("capture", "ok", 1.0, texts)))


@pytest.mark.parametrize(
    ("event", "ends"),
    [
        (stage("captured", "ir"), True),
        (stage("captured"), False),
        (message(report.StageBegan(0, "capture")), False),
        ({"state": "running", "seq": 0}, False),
    ],
)
def test_the_clock_stops_at_the_first_stage_that_shows_an_ir(event, ends) -> None:
    assert has_ir(event) is ends


def test_the_median_is_told_with_its_quartiles() -> None:
    assert summary([10.0, 20.0, 30.0]) == "first IR after 20 ms (quartiles 10 to 30, 3 runs)"
