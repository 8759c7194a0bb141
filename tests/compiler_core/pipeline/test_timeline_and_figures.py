"""What each compiler made of a program, as numbers: held against its texts, plan and module."""

import re

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from compiler_core.reference.inductor.figures import of_texts
from tests.compiler_core.pipeline.mlp import COMPILERS, STAGES, compiled_by_each

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="module")
def program() -> report.Program:
    return compiled_by_each()


def figures(program: report.Program, compiler: str) -> report.CompilerSummary:
    (found,) = [each for each in program.compilers if each.compiler == compiler]
    return found


def test_each_compiler_has_figures_or_reasons(program):
    assert {each.compiler for each in program.compilers} == {"eager", *COMPILERS}
    for each in program.compilers:
        for name in report.FIGURES:
            figure = getattr(each, name)
            assert (figure.value is None) == bool(figure.why), (each.compiler, name)


def test_the_core_has_its_plan_s(program):
    core, kernels = figures(program, "core"), [k for k in program.kernels if k.backend == "cpu"]
    calls = [k for k in kernels if k.library is not None]
    assert core.launches.value == len(kernels) == program.summary.launches_core
    assert core.library_calls.value == len(calls)
    assert core.kernels.value == len(kernels) - len(calls)
    assert core.bytes.value == program.summary.bytes_core
    placed = [b for b in program.buffers if b.backend == "cpu" and b.offset is not None]
    arena = max((b.offset + b.bytes for b in placed), default=0)
    assert arena <= core.peak_bytes.value <= arena + 4096 + 64 * 32 * 4
    assert [phase.name for phase in core.phases] == [
        "capture", "pass", "fuse", "schedule", "codegen",
    ]  # fmt: skip


def test_what_was_fused_says_what_is_left_to_the_schedule(program):
    (fused,) = [s for s in program.stages if s.name == "fuse" and s.backend == "cpu"]
    said = r"\d+ operations in \d groups?; 1 more \(dot_general\) left to the schedule stage"
    assert re.fullmatch(said, fused.summary)


def test_inductor_s_are_those_of_its_text(program):
    (text,) = [a.text for s in program.stages if s.name == "inductor" for a in s.artifacts]
    inductor = figures(program, "inductor")
    defined = re.findall(r"^(\w+) = async_compile", text, re.MULTILINE)
    assert inductor.kernels.value == len(defined) > 0
    assert inductor.library_calls.value == text.count("extern_kernels.mm(") == 1
    assert inductor.launches.value == len(defined) + 1
    # The product and the result, 64 x 32 floats each, are held at once.
    assert inductor.peak_bytes.value >= 2 * 64 * 32 * 4
    assert inductor.bytes.value is None and "Look inside" in inductor.bytes.why


BREAKS = """
import torch

@torch.compile
def f(x):
    y = torch.relu(x)
    if y.max() > 3:
        y = y / 2
    return y.sum(0)

f(torch.randn(8, 16))
"""


def test_where_dynamo_was_looked_into_its_breaks_are_inductor_s():
    found = report.Report()
    asked = report.Options(compilers=("core", "inductor"), insides=("dynamo",), measure=False)
    explore(BREAKS, asked, lambda event: report.apply(found, event), stages=STAGES)
    (program,) = found.programs
    by_name = {name: figures(program, name) for name in ("core", "dynamo", "inductor")}
    assert [each.graphs.value for each in by_name.values()] == [2, 2, 2]
    assert [each.breaks.value for each in by_name.values()] == [1, 1, 1]


def test_breaks_are_not_none_where_one_captured_graph_became_two_modules():
    two = of_texts(["", ""], one_graph=True)
    assert (two.graphs.value, two.breaks) == (2, report.BY_DYNAMO)
    assert of_texts([""], one_graph=True).breaks.value == 0


def test_a_mode_of_inductor_is_checked_and_counted_by_itself(program):
    assert program.numerics["inductor:dynamic"].ok
    dynamic = figures(program, "inductor:dynamic")
    assert dynamic.library_calls.value == 1 and dynamic.kernels.value > 0
    assert [phase.name for phase in dynamic.phases] == ["to the graph", "from the graph"]
    (stage,) = [s for s in program.stages if s.compiler == "inductor:dynamic"]
    assert stage.kind == "reference" and "sizes that are symbols" in stage.summary
    # A look is of the snippet's own mode, so its bytes are not this mode's.
    assert "mode" in dynamic.bytes.why


def test_xla_s_are_those_of_its_module(program):
    xla = figures(program, "xla")
    (hlo,) = [
        a.text for s in program.stages if s.name == "xla" for a in s.artifacts if a.kind == "hlo"
    ]
    entry = hlo.split("ENTRY")[1]
    assert xla.launches.value == len(re.findall(r"fusion\(|\bdot\(|custom-call\(", entry)) > 0
    assert xla.kernels.value + xla.library_calls.value == xla.launches.value
    assert xla.peak_bytes.value >= 64 * 32 * 4
    assert [phase.name for phase in xla.phases] == ["to the graph", "from the graph"]
