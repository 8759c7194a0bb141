"""Attention in the report: one launch with its operations, or a refusal with its reason."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

import compiler_core
from compiler_core.report import Options

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]


def attended(q, k, v):
    return scaled_dot_product_attention(q, k, v, is_causal=True)


def weighed(q, k, v):
    p = torch.softmax(q @ k.mT, -1)
    return p @ v, p


def program(fn):
    options = Options(target="sm_90", measure=False)
    inputs = [torch.randn(2, 3, 128, 16) for _ in range(3)]
    (found,) = compiler_core.explore(fn, *inputs, fuselab_options=options).programs
    assert found.error is None
    return found


def test_it_is_one_launch_of_either_backend_and_nothing_is_said_to_be_apart():
    found = program(attended)
    assert [(k.backend, k.kind) for k in found.kernels] == [
        ("cpu", "attention"),
        ("gpu", "attention"),
    ]
    assert found.fusion_refusals == []
    assert all({"dot_general", "exponential"} <= set(k.ops) for k in found.kernels)
    (line,) = {n.line for n in found.nodes if n.id in found.kernels[0].nodes}
    assert line is not None
    assert all([c.strategy for c in k.candidates] == ["attention", "apart"] for k in found.kernels)


def test_weights_that_are_returned_are_a_refusal_on_either_backend():
    found = program(weighed)
    refused = [r for r in found.fusion_refusals if r.kind == "attention kept"]
    assert [(r.backend, bool(r.nodes)) for r in refused] == [("cpu", True), ("gpu", True)]
    assert "attention" not in {k.kind for k in found.kernels}
