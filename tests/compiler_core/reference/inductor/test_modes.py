"""A program in the modes of torch.compile, beside its default one."""

import pytest
import torch

from compiler_core import capture, reference, report
from compiler_core.pipeline.order import PIPELINE, explore
from compiler_core.reference.inductor import choices, modes
from compiler_core.snippet.program import FoundProgram

STAGES = tuple(s for s in PIPELINE if s.name in ("capture", "reference", "numerics"))
PRODUCT = """
import torch

def f(x, y):
    return torch.bmm(x, y).relu()

f(torch.randn(4, 64, 32), torch.randn(4, 32, 64))
"""


@pytest.mark.cpu
def test_max_autotune_shows_what_it_has_timed_and_what_it_took():
    found, asked = report.Report(), report.Options(compilers=("inductor:max-autotune",))
    explore(PRODUCT, asked, lambda event: report.apply(found, event), stages=STAGES)
    (program,) = found.programs
    (stage,) = [s for s in program.stages if s.compiler == "inductor:max-autotune"]
    assert stage.status == "ok" and "candidates timed for 1 operation" in stage.summary
    (table,) = stage.tables
    operation, of, name, _, us, chosen = zip(*(row.cells for row in table.rows), strict=True)
    assert {*operation} == {"bmm"} and "float32[4,64,32]" in of[0]
    assert len({*name}) == len(name) > 1
    assert list(us) == sorted(us) and chosen == (True, *[False] * (len(us) - 1))
    (bmm,) = [node.id for node in program.nodes if "bmm" in node.op]
    assert all((row.nodes, row.line) == ([bmm], 5) for row in table.rows)
    assert program.numerics["inductor:max-autotune"].ok
    assert "AUTOTUNE" not in found.output.stdout + found.output.stderr


@pytest.mark.cpu
def test_dynamic_compiles_sizes_as_symbols():
    def f(x):
        return (x + 1).sum(-1)

    captured = capture.capture(FoundProgram("f", "torch", 1, f, (torch.randn(24, 40),)))
    found = reference.prepare("inductor:dynamic", captured, "torch")
    assert found.status == "ok", found.summary
    assert "sizes that are symbols: s" in found.summary
    assert "ks0" in found.artifacts[0].text


@pytest.mark.null
def test_a_mode_says_what_it_came_to():
    cpu, gpu = modes.Seen("cpu"), modes.Seen("cuda", refused=["mutated inputs"] * 2)
    assert modes.said("", cpu) == ""
    assert "a GPU's" in modes.said("reduce-overhead", cpu)
    assert modes.said("reduce-overhead", gpu).startswith("CUDA graphs skipped: it writes into")
    assert modes.said("reduce-overhead", modes.Seen("cuda")) == "replayed as CUDA graphs"
    assert modes.said("max-autotune", cpu).startswith("nothing to choose from: on a CPU")
    assert modes.said("max-autotune", modes.Seen("cuda", choices=2)).endswith("2 operations")
    assert modes.said("dynamic", cpu) == "no size became a symbol"


@pytest.mark.null
def test_a_candidate_that_failed_has_no_time_and_comes_last():
    quick, failed = _Caller("mm", ""), _Caller("triton_mm_1", "BLOCK_M=16")
    made = choices.choice("mm", [], {failed: float("inf"), quick: 0.5}, None)
    (table,) = choices.tables([made], [])
    assert [row.cells[2:] for row in table.rows] == [
        ["mm", "", 500.0, True], ["triton_mm_1", "BLOCK_M=16", None, False],
    ]  # fmt: skip
    assert choices.tables([], []) == []


class _Caller:
    """A candidate as Inductor has it: an object with a name."""

    def __init__(self, name: str, description: str) -> None:
        self.name, self.description = name, description
