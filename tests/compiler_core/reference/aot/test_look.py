"""AOTAutograd opened up, through the real one."""

import functools

import pytest

from compiler_core import report
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

SNIPPET = """
import torch, torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

def inner(x, w):
    return torch.sin(F.gelu(x @ w)).exp()

@torch.compile
def f(x, w, out):
    y = checkpoint(inner, x, w, use_reentrant=False)
    out.add_(1)
    return (y.softmax(-1).tanh() @ w.T).sum()

w = torch.randn(128, 128, requires_grad=True)
f(torch.randn(64, 128), w, torch.zeros(3)).backward()
"""
STEP = """
import torch

w = torch.nn.Parameter(torch.randn(8, 4))
sgd = torch.optim.SGD([w], lr=0.1)

@torch.compile
def step(x):
    torch.sin(x @ w).sum().backward()
    sgd.step()

step(torch.randn(2, 8))
"""
LINE_OF_INNER, LINE_OF_ADD, LINE_OF_TANH = 6, 11, 12


@functools.cache
def program() -> report.Program:
    (found,) = looked(SNIPPET, "aot").programs
    return found


def stages() -> dict[str, report.Stage]:
    return {stage.name: stage for stage in stages_of(program(), "aot")}


def table(stage: str, name: str) -> list[report.Row]:
    return next(t.rows for t in stages()[stage].tables if t.name == name)


def test_the_joint_graph_and_its_halves_are_shown_with_lines():
    assert list(stages()) == [
        "functionalization", "joint graph", "partition", "forward graph", "backward graph",
    ]  # fmt: skip
    for name in ("joint graph", "forward graph", "backward graph"):
        (text,) = stages()[name].artifacts
        assert len(text.nodes) == len(text.text.splitlines()) and any(text.nodes)
    assert "tangents" in stages()["joint graph"].artifacts[0].text
    assert "tangents" not in stages()["forward graph"].artifacts[0].text


def test_what_is_kept_has_its_bytes_and_the_sum_leaves_inputs_out():
    rows = {row.cells[0]: row for row in table("partition", "kept for backward")}
    largest, *_, last = rows.values()
    assert largest.cells[3] == max(row.cells[3] for row in rows.values() if row.cells[1])
    assert "input or a parameter" in last.cells[5]
    tanh = next(row for row in rows.values() if row.cells[1] == "aten.tanh")
    assert tanh.cells[3] == 64 * 128 * 4 and tanh.line == LINE_OF_TANH
    given = [row for row in rows.values() if "input or a parameter" in row.cells[5]]
    assert given
    own = sum(row.cells[3] for row in rows.values() if row not in given and not row.cells[4])
    assert f"{own:,} bytes" in stages()["partition"].summary


def test_of_a_training_step_what_is_kept_and_what_is_written_is_counted_and_named() -> None:
    (step,) = looked(STEP, "aot").programs
    of = {stage.name: stage for stage in stages_of(step, "aot")}
    kept = of["partition, graph 1"].tables[0]
    views = [row.cells[4] for row in kept.rows if row.cells[1] == "aten.permute"]
    assert len(views) == 1 and str(views[0]).startswith("primals")  # x, which is there anyway
    assert of["partition, graph 1"].summary.startswith("32 bytes in 1 value ")
    written = [row.cells[0] for row in of["functionalization, graph 2"].tables[0].rows]
    assert written == [".add_", "input self.param_groups[0]['params'][0]"]


def test_activation_checkpointing_is_seen_in_what_is_computed_again():
    rows = table("partition", "computed again")
    of = {row.cells[1]: row for row in rows if "checkpointing" in row.cells[4]}
    assert {"aten.mm", "aten.erf", "aten.sin"} <= of.keys()
    assert {row.line for row in of.values()} == {LINE_OF_INNER}


def test_a_write_in_place_is_told_of_with_what_became_of_the_input():
    rows = {row.cells[0]: row for row in table("functionalization", "writes in place")}
    assert rows[".add_"].line == LINE_OF_ADD and "copies" in rows["input out"].cells[1]


def test_a_large_value_that_is_kept_is_a_finding():
    (found,) = program().findings
    assert (found.kind, found.line, found.bytes) == ("kept for backward", LINE_OF_TANH, 32768)
    assert "checkpoint" in found.remedy


def test_a_program_without_gradients_has_one_graph():
    (found,) = looked(
        SNIPPET.replace(", requires_grad=True", "").replace(".backward()", ""), "aot"
    ).programs
    names = [stage.name for stage in stages_of(found, "aot")]
    assert names == ["functionalization", "inference graph"]
