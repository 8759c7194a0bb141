"""torch.cond, while_loop, scan and map end to end: operations with regions, as JAX's are."""

from functools import cache, reduce

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from tests.sweep_plugin import thinned

# torch.cond runs through Dynamo where the snippet calls it, too; a process has one snippet.
pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled", "dynamo_forgotten")]

HEAD = """
import torch
from torch._higher_order_ops import map as torch_map, scan, while_loop

torch.manual_seed(0)
x, xs, w = torch.randn(4, 8), torch.randn(5, 4, 8), torch.randn(8, 8) / 4
p = torch.nn.Parameter(w.clone())

@torch.compile
def f(x):
    {body}

{call}
"""
# What `f` does, and the regions of its first graph.
PROGRAMS = {
    "cond": ("return torch.cond(x.sum() > 0, torch.sin, lambda v: v @ w, (x,))", "f(x)",
             ["true", "false"]),
    "while_loop": ("return while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, torch.tanh(v @ w)),"
                   " (torch.tensor(0), x))", "f(x)", ["cond", "body"]),
    "scan": ("return scan(lambda c, v: (torch.tanh(c @ w + v), c * 2), torch.zeros(4, 8), x)",
             "f(xs)", ["body"]),
    "reversed scan of another dimension": (
        "return scan(lambda c, v: (c + v, c * v), torch.zeros(5, 8), x, dim=1, reverse=True)",
        "f(xs)", ["body"]),
    "map": ("return torch_map(lambda v: torch.softmax(v, -1), x)", "f(xs)", ["body"]),
    "a branch in a loop": (
        "return while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, torch.cond(v.sum() > 0, "
        "torch.tanh, lambda u: u * 2 + 1, (v,))), (torch.tensor(0), x))[1]",
        "f(x)", ["cond", "body", "true", "false"]),
    "constants in a branch": (
        "return torch.cond(x.sum() > 0, lambda v: v + torch.tensor([[1.0], [2.0], [3.0], [4.0]]),"
        " lambda v: v * torch.tensor(2.0), (x,))", "f(x)", ["true", "false"]),
    "gradient of a cond": (
        "loss = torch.cond(x.sum() > 0, lambda v: (v @ p).sum(), lambda v: (v * v).sum(), (x,))\n"
        "    loss.backward()\n    return loss", "f(x)", ["true", "false"]),
    "gradient of a scan": (
        "loss = scan(lambda c, v: (torch.tanh(c @ p + v), c * 2), torch.zeros(4, 8), x)[1].sum()\n"
        "    loss.backward()\n    return loss", "f(xs)", ["body"]),
    "a branch, then Python": (
        "y = torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))\n"
        "    return y + 1 if y.sum() > 0 else y", "f(x)", ["true", "false"]),
}  # fmt: skip


@cache
def explored(body: str, call: str) -> report.Program:
    events: list[report.Event] = []
    source = HEAD.format(body=body, call=call)
    explore(source, report.Options(measure=False, device="cpu", target="sm_90"), events.append)
    (program,) = reduce(report.apply, events, report.Report()).programs
    return program


# A branch, a scan and a loop are in the others.
AS_OTHERS = {"while_loop", "scan", "gradient of a cond"}


@pytest.mark.parametrize("name", thinned(PROGRAMS, kept=PROGRAMS.keys() - AS_OTHERS))
def test_it_is_captured_as_regions_and_right(name: str) -> None:
    body, call, regions = PROGRAMS[name]
    program = explored(body, call)
    assert program.status == "ok", program.error
    assert program.numerics["core"].ok, program.numerics["core"].error
    first = next(g for g in program.graphs if g.parent == "whole")
    inside = [g.id.rpartition(".")[2] for g in program.graphs if g.id.startswith(f"{first.id}.")]
    assert sorted(inside) == sorted(regions)
    kinds = {k.kind for k in program.kernels if k.graph == first.id}
    assert kinds & {"case", "while", "scan"}


def test_both_plans_have_kernels_of_the_branches() -> None:
    body, call, _ = PROGRAMS["cond"]
    program = explored(body, call)
    for backend in ("cpu", "gpu"):
        found = {k.id for k in program.kernels if k.backend == backend}
        assert {"k1_true_k0_sine"} < found
    texts = {a.kind: a.text for s in program.stages for a in s.artifacts if a.language != "aten"}
    assert "sin" in texts["c"] and "k1_true_k0_sine" in texts["triton"]


def test_the_text_names_functions_and_their_arguments() -> None:
    body, call, _ = PROGRAMS["a branch in a loop"]
    program = explored(body, call)
    (text,) = [
        a.text
        for s in program.stages
        for a in s.artifacts
        if (s.name, a.name) == ("capture", "captured")
    ]
    lines = text.splitlines()
    assert "    body(%1.body.0: i64[], %1.body.1: f32[4,8])" in lines
    assert "      %6 = cond([%5], [%1.body.1]) : f32[4,8]" in lines
    assert "        true(%6.true.0: f32[4,8])" in lines


def test_what_is_no_tensor_is_refused_with_the_operations_name() -> None:
    body = "return while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v * 2), (0, x))"
    error = explored(body, "f(x)").error
    assert error is not None and error.line == 11
    assert error.message == "torch's while_loop with 0, which is no tensor, is not captured"
    assert "give its functions tensors" in error.remedy
