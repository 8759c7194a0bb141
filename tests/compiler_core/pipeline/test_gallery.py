"""The gallery end to end: every example becomes native kernels whose every text leads back to the
snippet, and whose results are as right as eager's."""

import itertools
import re
from collections.abc import Iterator
from functools import cache, reduce
from pathlib import Path

import pytest

from compiler_core import report
from compiler_core.codegen.triton import assemblers
from compiler_core.pipeline import planning, precision
from compiler_core.pipeline.order import explore
from tests.compiler_core.candidates import unexplained
from tests.compiler_core.examples import SWEPT
from tests.compiler_core.pipeline.looks import (
    CONTROL,
    LOOKS,
    artifacts,
    changed_by,
    generated,
    kernels,
)
from tests.sweep_plugin import thinned
from webapp.examples.gallery import gallery

pytestmark = pytest.mark.cpu

SNIPPETS = Path(__file__).parents[3] / "webapp" / "examples" / "snippets"
FILES = {path.stem: path for path in sorted(SNIPPETS.glob("[0-9]*"))}
NAMES = list(FILES)
SAID = {example.name: example for example in gallery().examples}
MEASURED = "03-softmax-rows"


@cache
def explored(name: str) -> report.Report:
    return explored_anew(FILES[name].read_text(), name == MEASURED)


def explored_anew(source: str, measure: bool = False) -> report.Report:
    events: list[report.Event] = []
    explore(source, report.Options(measure=measure, device="cpu", target="sm_90"), events.append)
    assert isinstance(events[0], report.Started) and isinstance(events[-1], report.Finished)
    return reduce(report.apply, events, report.Report())


@pytest.fixture(scope="module", autouse=True)
def unhurried() -> Iterator[None]:
    """No kernel is left out, however busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "COMPILING_S", 300.0)
        patch.setattr(planning, "DISASSEMBLING_S", 300.0)
        patch.setattr(assemblers, "SECONDS", 300.0)
        patch.setattr(precision, "SECONDS", 300.0)
        yield


# Each is explored once: the tests of one stand together, in one process.
@pytest.fixture(scope="module", params=thinned(NAMES, kept=FILES.keys() - SWEPT.keys()))
def found(request: pytest.FixtureRequest) -> report.Report:
    return explored(request.param)


@pytest.fixture
def program(found: report.Report) -> report.Program:
    (result,) = found.programs
    return result


def test_every_program_reaches_the_end_natively(program: report.Program) -> None:
    assert program.status == "ok", program.error
    assert {s.status for s in program.stages} == {"ok"}
    assert program.summary.native_share == 1.0
    assert {k.library for k in program.kernels} <= {None, "matmul"}


def test_the_core_is_as_right_as_eager(program: report.Program) -> None:
    numerics = program.numerics
    assert set(numerics) == {"eager", "core"}
    assert numerics["core"].ok, numerics["core"].error


def test_every_text_is_there(program: report.Program) -> None:
    names = {k.same_as or k.id for k in generated(program, "gpu")}
    for kind in ("triton", "ttir", "ttgir", "llir", "ptx", "sass"):
        assert {a.kernel for a in artifacts(program, kind)} >= names, kind
    for kind in ("captured", "ir", "loops", "c"):
        assert artifacts(program, kind), kind


def test_every_captured_operation_of_a_kernel_is_found_in_its_texts(
    program: report.Program,
) -> None:
    in_c = {node for c in artifacts(program, "c") for line in c.nodes for node in line}
    for kernel in generated(program, "cpu"):
        assert set(kernel.nodes) <= in_c
    for kernel in generated(program, "gpu"):
        texts = [
            a for a in artifacts(program, "triton") if a.kernel == (kernel.same_as or kernel.id)
        ]
        in_triton = {node for a in texts for line in a.nodes for node in line}
        assert set(kernel.nodes) <= in_triton


def test_line_maps_have_a_place_for_each_line_and_name_captured_operations_and_values(
    program: report.Program,
) -> None:
    known = {node.id for node in program.nodes}
    known |= {~int(v) for a in artifacts(program, "ir") for v in re.findall(r"%(\d+)", a.text)}
    for stage in program.stages:
        for a in stage.artifacts:
            if a.nodes:
                assert len(a.nodes) in (a.text.count("\n"), a.text.count("\n") + 1), a.name
            assert {node for line in a.nodes for node in line} <= known, a.name


def test_captured_operations_stand_on_lines_of_the_snippet(
    found: report.Report, program: report.Program
) -> None:
    lines = found.snippet.source.splitlines()
    for node in program.nodes:
        assert node.line is not None and lines[node.line - 1].strip(), node


def test_every_edge_that_was_not_fused_says_why(program: report.Program) -> None:
    # Without control flow, the launches of a graph are connected.
    whole = len(program.graphs) == 1 and not any(k.kind in CONTROL for k in program.kernels)
    for backend in ("cpu", "gpu") if whole else ():
        # The launches of one choice, as the parts of a product, are one launch of the fusion.
        fused = [k for k in kernels(program, backend) if k.id == (k.chosen_with or [k.id])[0]]
        refusals = [r for r in program.fusion_refusals if r.backend == backend]
        assert len(refusals) >= len(fused) - 1 > -1
    assert all(len(r.reason) > 20 and r.kind for r in program.fusion_refusals)


def test_every_launch_was_chosen_among_candidates_with_costs_and_a_reason(
    program: report.Program,
) -> None:
    assert [found for launch in program.kernels for found in unexplained(launch)] == []


def test_what_an_example_says_to_look_at_is_there(
    program: report.Program, request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.params["found"]
    assert LOOKS.get(name, bool)(program)


def test_what_is_looked_at_is_in_examples() -> None:
    assert LOOKS.keys() <= FILES.keys()


def test_the_line_and_the_pass_that_are_chosen_for_it_have_something_to_show(
    program: report.Program, request: pytest.FixtureRequest
) -> None:
    said = SAID[request.node.callspec.params["found"].partition("-")[2]]
    assert any(node.line == said.line for node in program.nodes)
    assert not said.stage or changed_by(said.stage)(program)


def test_a_pass_shows_the_graph_before_and_after() -> None:
    (program,) = explored("10-jax-layer-norm").programs
    stages = [s for s in program.stages if s.kind == "pass"]
    changed = [s for s in stages if s.changed]
    assert changed and all([a.name for a in s.artifacts] == ["before", "after"] for s in changed)
    for earlier, later in itertools.pairwise(changed):
        assert earlier.artifacts[1].text == later.artifacts[0].text


def test_timings_come_with_spread_and_protocol() -> None:
    found = explored(MEASURED)
    timings = found.programs[0].timings
    assert set(timings) == {"eager", "core"}
    for timing in timings.values():
        assert timing.samples >= 20 and timing.p25_us <= timing.median_us <= timing.p75_us
    core = timings["core"]
    assert core.speedup_low <= core.speedup <= core.speedup_high and core.verdict
    assert core.capture_ms > 0 and core.compile_ms > 0 and core.first_call_ms > core.compile_ms
    assert "interleaved" in found.protocol


def test_a_fault_of_ours_in_one_stage_leaves_the_others_standing(monkeypatch) -> None:
    from compiler_core.codegen.triton import offline

    def broken(*_: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(offline, "compile_offline", broken)
    program = explored_anew("# inputs: f32[8,16]\ndef f(x):\n    return x.tanh()\n").programs[0]
    (failed,) = (s for s in program.stages if s.status == "failed")
    assert failed.name == "compile sm_90" and "ZeroDivisionError: of ours" in failed.summary
    # What failed is of a target that is only shown: the program runs, and is right.
    assert (program.status, program.error) == ("ok", None)
    assert program.numerics["core"].ok and artifacts(program, "c")
