"""torch.export opened up."""

import base64
import functools
import io

import pytest
import torch

from compiler_core import report
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

BUFFER = """\
# inputs: f32[B=8,4]
import torch

class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.add_(x.sum(0))
        return torch.softmax(self.linear(x), -1)
"""
BRANCH = """\
import torch

def f(x):
    if x.sum() > 0:
        return x + 1
    return x

torch.compile(f)(torch.ones(3))
"""
BOUNDED = """\
import torch
from torch.export import Dim

class Taken(torch.nn.Module):
    def forward(self, x, y):
        if x.shape[0] > 4:
            x = x * 2
        return x.relu() + y

batch = Dim("batch", min=5, max=256)
shapes = {"x": {0: batch}, "y": {0: batch}}
torch.export.export(Taken(), (torch.randn(32, 8), torch.randn(32, 8)), dynamic_shapes=shapes)
"""
MARKED = """\
import torch

def f(x, y):
    if x.shape[0] > 10:
        x = x * 2
    torch._check(y.shape[0] < 50)
    return x.sum() + y.sum()

x, y = torch.randn(33, 8), torch.randn(12, 3)
torch._dynamo.mark_dynamic(x, 0, min=20, max=512)
torch._dynamo.maybe_mark_dynamic(y, 0)
torch.compile(f, fullgraph=True)(x, y)
"""


@functools.cache
def of(source: str) -> report.Program:
    (program,) = looked(source, "export").programs
    return program


def test_a_program_is_shown_as_exported_decomposed_and_saved() -> None:
    stages = {s.name: s for s in stages_of(of(BUFFER), "export")}
    assert [*stages] == ["non-strict", "strict", "core ATen", "saved", "AOTInductor"]
    assert "aten.add_" in stages["non-strict"].artifacts[0].text
    assert "aten.add_" not in stages["core ATen"].artifacts[-1].text
    assert stages["saved"].summary.endswith("bytes as a .pt2, the same when read")


def test_the_signature_says_what_each_input_is_and_what_is_written() -> None:
    stages = {s.name: s for s in stages_of(of(BUFFER), "export")}
    rows = {
        (row.cells[0], row.cells[2], row.cells[3]) for row in stages["core ATen"].tables[0].rows
    }
    assert {("input", "parameter", "linear.weight"), ("input", "buffer", "total")} < rows
    assert ("output", "buffer mutation", "total") in rows


def test_a_size_with_a_name_varies_within_a_range() -> None:
    plain = stages_of(of(BUFFER), "export")[0]
    (ranges,) = [table for table in plain.tables if table.name == "range constraints"]
    (row,) = ranges.rows
    assert row.cells[:2] == ["B", "x, dimension 0"] and row.cells[3] is None


def test_strict_and_not_differ_in_what_differs_and_not_in_torchs_names_of_sizes() -> None:
    plain, strict = stages_of(of(BUFFER), "export")[:2]
    assert "f32[B,4]" in plain.artifacts[0].text
    assert strict.status == "ok" and not strict.changed


@pytest.mark.parametrize(
    ("source", "bounds"), [(BOUNDED, [(5, 256)]), (MARKED, [(20, 512), (2, 49)])]
)
def test_bounds_that_the_snippet_gives_a_size_are_given_to_torch(
    source: str, bounds: list[tuple[int, int]]
) -> None:
    for stage in stages_of(of(source), "export")[:2]:
        assert stage.status == "ok", stage.summary
        (ranges,) = [table for table in stage.tables if table.name == "range constraints"]
        assert [tuple(row.cells[2:]) for row in ranges.rows] == bounds


def test_lines_of_the_graph_lead_to_captured_operations() -> None:
    plain = stages_of(of(BUFFER), "export")[0]
    line_of = {node.id: node.line for node in of(BUFFER).nodes}
    (text,) = plain.artifacts
    (at,) = [i for i, line in enumerate(text.text.splitlines()) if "= aten.softmax" in line]
    assert {line_of[node] for node in text.nodes[at]} == {12}


def test_a_branch_on_a_tensors_value_is_refused_with_line_reason_and_remedy() -> None:
    stages = stages_of(of(BRANCH), "export")
    assert [(s.name, s.status) for s in stages] == [("non-strict", "failed"), ("strict", "failed")]
    (found,) = (f for f in of(BRANCH).findings if f.compiler == "export")
    assert (found.kind, found.line) == ("not compiled", 4)
    assert found.what == "torch.export cannot take the program"
    assert "decides by a tensor's value" in found.why and "torch.cond" in found.remedy
    assert found.raw


FAKELESS = """\
import torch

@torch.library.custom_op("mine::scaled", mutates_args=())
def scaled(x: torch.Tensor, by: float) -> torch.Tensor:
    return x * by

def f(x):
    return scaled(torch.relu(x), 2.0) + 1

torch.compile(f)(torch.ones(3))
"""


def test_an_operation_that_nothing_is_known_of_is_told_once_by_each_who_cannot_take_it() -> None:
    found = looked(FAKELESS, "export", "dynamo").programs[0].findings
    # The line of the operation, and that of the call.
    assert [(f.compiler, f.line) for f in found] == [("dynamo", 8), ("export", 10)]
    for each in found:
        assert each.why.startswith("mine::scaled has no fake implementation")
        assert "register_fake" in each.remedy


def test_a_size_that_cannot_vary_is_told_at_the_line_that_asks_for_it() -> None:
    source = """\
import torch

class Chunks(torch.nn.Module):
    def forward(self, x):
        return x + torch.ones(8)

with __import__("contextlib").suppress(Exception):
    torch.export.export(
        Chunks(), (torch.ones(8),), dynamic_shapes={"x": {0: torch.export.Dim("rows", min=4)}}
    )
"""
    (found,) = (f for f in of(source).findings if f.compiler == "export")
    assert found.why == "rows was to vary, and the program is for 8 alone"
    assert found.line == 5 and "leave it a number" in found.remedy


def test_the_pt2_that_is_kept_is_the_program() -> None:
    saved = {s.name: s for s in stages_of(of(BUFFER), "export")}["saved"]
    (file,) = saved.artifacts
    assert (file.name, file.language) == ("Counted.pt2", "base64")
    again = torch.export.load(io.BytesIO(base64.b64decode(file.text)))
    x = torch.randn(3, 4)
    weight, bias = (again.state_dict[f"linear.{name}"] for name in ("weight", "bias"))
    expected = torch.softmax(torch.nn.functional.linear(x, weight, bias), -1)
    torch.testing.assert_close(again.module()(x), expected)


def test_lines_of_aotinductors_cpp_lead_to_captured_operations() -> None:
    stage = {s.name: s for s in stages_of(of(BUFFER), "export")}["AOTInductor"]
    kernels, wrapper = stage.artifacts
    line_of = {node.id: node.line for node in of(BUFFER).nodes}
    loops = [
        n
        for line, n in zip(kernels.text.splitlines(), kernels.nodes, strict=False)
        if "for(" in line
    ]
    assert loops and all({line_of[node] for node in found} <= {11, 12} for found in loops)
    assert "AOTInductorModel::run_impl" in wrapper.text


def test_a_snippet_is_exported_strictly_after_another_in_one_process() -> None:
    """TorchDynamo keeps the name `__main__` for the first of them."""
    for bias in (1, 2):
        source = (
            f"import torch\ndef f(x):\n    return x + {bias}\ntorch.compile(f)(torch.ones(3))\n"
        )
        strict = stages_of(of(source), "export")[1]
        assert strict.status == "ok", strict.summary
