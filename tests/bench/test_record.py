"""What a bench run concludes from reports, on numbers chosen by hand."""

import json

import pytest
from msgspec import structs

from bench.record import BELOW, as_json, from_json, row, rows_of, totals
from bench.suites import SUITES
from bench.table import to_text
from compiler_core.report import (
    Failure,
    GraphBreak,
    Kernel,
    Numerics,
    Program,
    Report,
    Stage,
    Summary,
    Timing,
)


def program(us: dict[str, float], **facts) -> Program:
    timings = {
        name: Timing(t, t, t, 20, capture_ms=1.0, compile_ms=10.0 * t, first_call_ms=12.0)
        for name, t in us.items()
    }
    return Program("f", "torch", timings=timings, **facts)


FAST = {"eager": 40.0, "core": 10.0, "inductor": 20.0, "xla": 30.0}


def test_the_lead_is_over_the_better_rival():
    result = row("one", [program(FAST)], "")
    assert (result.best_rival, result.lead) == ("inductor", 2.0)


def test_several_rounds_give_the_median_of_their_medians():
    rounds = [program(FAST | {"core": us}) for us in (10.0, 90.0, 12.0)]
    result = row("one", rounds, "")
    assert result.us("core") == 12.0 and result.times["core"].rounds == [10.0, 90.0, 12.0]
    assert result.times["core"].samples == 60


def test_totals_are_geometric_means_and_counts():
    rows = [
        row("ahead", [program(FAST)], ""),
        row("close", [program(FAST | {"core": 21.0})], ""),
        row("behind", [program(FAST | {"core": 40.0})], ""),
    ]
    found = totals(rows)
    assert (found["within_10_percent_or_ahead"], found["ahead"], found["programs"]) == (2, 1, 3)
    assert found["eager_over"]["inductor"] == pytest.approx(2.0)
    assert found["best_rival_over_core"] == pytest.approx((2 * (20 / 21) * 0.5) ** (1 / 3))
    assert found["compile_over_core"]["xla"] == pytest.approx((30**3 / (10 * 21 * 40)) ** (1 / 3))


def test_a_time_that_cannot_be_is_a_problem_and_no_figure():
    found = program(FAST)
    found.timings["xla"] = structs.replace(found.timings["xla"], verdict=BELOW)
    result = row("one", [found], "")
    assert "xla" not in result.times and "xla is below the physical floor" in result.problems


def test_a_rival_that_refused_is_said_and_not_counted():
    without = {n: t for n, t in FAST.items() if n != "inductor"}
    stage = Stage(
        "inductor", "skipped", 1.0, kind="reference", summary="cannot run jax's sort here"
    )
    result = row("one", [program(without, stages=[stage])], "")
    assert result.best_rival == "xla" and result.problems == [
        "inductor: cannot run jax's sort here"
    ]
    assert "cannot run jax's sort here" in to_text([result], totals([result]))


def test_a_wrong_result_is_a_problem():
    wrong = {"core": Numerics(1.0, 1.0, False, error="output 0 is off by 1, eager by 0")}
    result = row("one", [program(FAST, numerics=wrong)], "")
    assert result.problems == ["core is wrong: output 0 is off by 1, eager by 0"]


def test_the_table_marks_who_is_ahead():
    rows = [row("quick", [program(FAST)], ""), row("slow", [program(FAST | {"core": 40.0})], "")]
    lines = to_text(rows, totals(rows)).splitlines()
    assert [line.split()[-1] for line in lines if "20.0" in line and "30.0" in line][:2] == [
        "ahead", "behind",
    ]  # fmt: skip


def test_the_table_has_the_compilers_that_were_asked():
    rows = [row("one", [program(FAST | {"inductor:max-autotune": 9.0})], "")]
    head = next(x for x in to_text(rows, totals(rows)).splitlines() if "eager" in x)
    assert "inductor:max-autotune" in head and "tvm" not in head
    assert rows[0].best_rival == "inductor:max-autotune"


def test_the_suite_is_the_beginning_of_the_gallery():
    assert [each.name[:2] for each in SUITES["twelve"]()] == [f"{n:02}" for n in range(1, 13)]
    assert SUITES["gallery"]()[:12] == SUITES["twelve"]()


def test_a_snippet_without_a_report_is_a_row_that_failed():
    [failed] = rows_of("one", [])
    assert failed.verdict == "failed" and failed.problems == ["there is no report"]
    assert "one: there is no report" in to_text([failed], totals([failed]))


def test_what_ends_a_snippet_is_a_row_beside_its_programs():
    ended = Failure("snippet", "IndexError: out of range")
    rows = rows_of("one", [Report(programs=[program(FAST)], error=ended)])
    assert [r.problems for r in rows] == [[], ["IndexError: out of range"]]


def test_programs_of_one_snippet_are_told_apart():
    two = Report(programs=[program(FAST), program(FAST)])
    assert [r.label for r in rows_of("one", [two])] == ["one f", "one f"]
    assert [r.label for r in rows_of("one", [Report(programs=[program(FAST)])])] == ["one"]


def kernel(library: str | None, nodes: list[int]) -> Kernel:
    return Kernel("k", "loops", library, [], 0, 0, [], nodes, backend="cpu")


def test_operations_are_counted_by_the_launch_that_they_are_in():
    shown = Kernel("k", "loops", None, [], 0, 0, [], [7], backend="gpu")
    kernels = [kernel(None, [0, 1]), kernel("sort", [1, 2]), kernel("sort", [3]), shown]
    made = row("one", [program(
        FAST, kernels=kernels, backend="cpu", graph_breaks=[GraphBreak("a print")],
        summary=Summary(launches_outside=5),
    )], "").made  # fmt: skip
    assert (made.kernels, made.library, made.outside, made.breaks) == (1, {"sort": 2}, 5, 1)
    assert (made.native_ops, made.library_ops) == (2, 2)


def test_rows_that_were_written_are_read_again():
    right = {"core": Numerics(1e-7, 1e-6, True)}
    rows = [
        *rows_of("one", [Report(programs=[program(FAST, numerics=right)])]),
        *rows_of("two", []),
    ]
    assert from_json(json.loads(json.dumps(as_json(rows)))) == rows
    assert [r.verdict for r in rows] == ["right", "failed"]


def test_each_model_says_what_it_is():
    docs = [each.file.read_text().splitlines()[0] for each in SUITES["models"]()]
    assert len(docs) >= 36 and all(doc.startswith('"""') for doc in docs)
