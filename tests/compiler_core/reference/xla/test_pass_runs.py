"""Which passes ran, from what XLA's profiler has recorded of a compilation."""

from compiler_core.measure.recorded import Span
from compiler_core.reference.xla import hlo, pass_runs
from compiler_core.reference.xla.passes import Change

EMPTY = hlo.parse("HloModule m\n")


def span(name: str, *inner: Span, us: float = 10.0) -> Span:
    return Span(name, 0.0, us, inner)


RECORDED = span(
    "PjRtCpuClient::Compile",
    span(
        "HLO passes after layout assignment (jit_f)",
        span("RunInvariantCheckers"),
        span("fusion", span("RunInvariantCheckers"), us=30.0),
        span("simplification", span("simplification (jit_f)", span("dce"), span("dce", us=5.0))),
    ),
    span("CpuCompiler::RunBackend", span("Codegen")),
)


def test_a_pass_is_what_a_pipeline_runs_and_no_pipeline() -> None:
    assert [(each.pipeline, each.pass_, each.us) for each in pass_runs.ran([RECORDED])] == [
        ("HLO passes after layout assignment", "fusion", 30.0),
        ("simplification", "dce", 10.0),
        ("simplification", "dce", 5.0),
    ]


def test_runs_of_a_pass_are_one_row_with_what_it_changed() -> None:
    change = Change("HLO_passes_after_layout_assignment", "fusion", EMPTY, EMPTY)
    stage = pass_runs.stage(pass_runs.ran([RECORDED]), [change])
    (table,) = stage.tables
    assert [row.cells[1:5] for row in table.rows] == [["fusion", 1, 1, 0.03], ["dce", 2, 0, 0.015]]
    assert stage.summary == "3 runs of 2 passes, of which 1 changed nothing"


def test_a_version_that_records_nothing_says_so() -> None:
    stage = pass_runs.stage(pass_runs.ran([span("Compile")]), [])
    assert stage.tables == [] and "does not tell" in stage.summary
