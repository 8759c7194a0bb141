"""Decisions of a plan, taken otherwise."""

import json

from bench.decisions import Done, Judged, as_json, decisions, read, said
from bench.page_model import of_decisions, of_model
from compiler_core import report


def found() -> report.Report:
    candidates = [
        report.ScheduleCandidate("rows", cost_us=4.0, chosen=True, name="rows"),
        report.ScheduleCandidate("rows", cost_us=5.0, name="rows.2"),
        report.ScheduleCandidate("split", cost_us=50.0, name="split"),
        report.ScheduleCandidate("flat", name="flat"),
    ]
    kernel = report.Kernel(
        id="k0", kind="row", library=None, ops=["add"], bytes_read=1, bytes_written=1, lines=[],
        nodes=[0, 1], candidates=candidates,
    )  # fmt: skip
    refusals = [
        report.FusionRefusal("add", "sum", "its add: 3.0 us more against 2.0 us saved",
                             from_value=3, to_value=4),
        report.FusionRefusal("add", "sort", "it is no loop", from_value=3, to_value=5),
    ]  # fmt: skip
    nodes = [
        report.CapturedOp(0, "exp"),
        report.CapturedOp(1, "sum", reads=[report.Read(0, 64)]),
        report.CapturedOp(2, "mul", reads=[report.Read(1, 4)]),
    ]
    program = report.Program(
        name="f", framework="torch", kernels=[kernel], fusion_refusals=refusals, nodes=nodes
    )
    return report.Report(programs=[program])


def test_what_a_cost_decided_is_decided_otherwise_one_at_a_time():
    every = [d.otherwise for d in decisions(found())]
    assert every == [
        report.ForbiddenEdge("0", "1", 0),
        report.ForcedEdge("%3", "%4", 0),
        report.WantedSchedule("k0", "rows.2", program=0),
    ]


def test_only_what_is_faster_each_time_contradicts():
    wrong = Judged("p", "a", ((10.0, 8.0), (10.0, 9.0)))
    once = Judged("p", "b", ((10.0, 8.0), (10.0, 10.0)))
    never = Judged("p", "c", ((10.0, 12.0),))
    assert [j.contradicted for j in (wrong, once, never)] == [True, False, False]
    first, line = said([once, wrong, never])
    assert first == "3 decisions measured otherwise, 1 of them contradicted"
    assert "p: a; otherwise 1.11 times as fast" in line


def test_the_page_names_them():
    decided = {"program": "p", "what": "a", "contradicted": True, "ratio": 1.2}
    device = {"name": "a machine", "threads": 2}
    lines = list(of_decisions({"only": "medium", "device": device, "decisions": [decided]}))
    assert lines[0].startswith("1 decisions of 1 programs (medium) were taken otherwise")
    assert "| p | a | 1.20 |" in lines


def test_the_page_has_the_correlation_and_what_was_predicted_worst():
    choices = [
        {"program": "p", "kernel": "k0", "strategy": "rows", "predicted_us": 1.0,
         "measured_us": measured}
        for measured in (1.0, 4.0)
    ]  # fmt: skip
    strategy = {"name": "rows", "choices": 2, "low": 1.0, "middle": 2.0, "high": 4.0,
                "of_floor": None, "correlation": None}  # fmt: skip
    recorded = {"only": "medium", "correlation": 0.93, "choices": choices, "strategies": [strategy],
                "date": "2026-11-29T10:00:00+00:00"}  # fmt: skip
    lines = list(of_model(recorded))
    assert "**0.93**" in lines[0] and "were timed on 2026-11-29, and" in lines[0]
    assert lines[-2:] == ["| p | k0 | rows | 1.00 | 4.00 |", "| p | k0 | rows | 1.00 | 1.00 |"]


def test_what_was_written_is_gone_on_with(tmp_path):
    file = tmp_path / "decisions.json"
    wrong = Judged("p", "a", ((10.0, 8.0), (10.0, 9.0)))
    done = Done(["p", "q"], [wrong], {"name": "a machine", "threads": 2})
    file.write_text(json.dumps(as_json(done, "families", "medium")))
    assert read(json.loads(file.read_text())) == done
