"""Which kernels are a softmax over a row."""

from dataclasses import replace
from math import inf

import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.types import BOOL, F32, I32
from compiler_core.kernel.kernel import Compute, Const, Index, Kernel, Load
from compiler_core.kernel.softmax import NoSoftmax, Softmax, last_key, softmax_of
from compiler_core.plan.build import values_of
from tests.compiler_core.attentions import jax_attention, torch_attention
from tests.compiler_core.codegen.triton.by_hand import at, build


def kernel_of(graph) -> Kernel:
    (group,) = fuse(values_of(graph)).groups
    return group.kernel


@pytest.mark.parametrize(
    "graph",
    [
        lambda: torch_attention("return torch.softmax(q * 2, -1)", (30, 50)),
        lambda: torch_attention("return torch.softmax(q * 2, -1)", (30, 50), dtype="bfloat16"),
        lambda: jax_attention("return jax.nn.softmax(q, -1)", (30, 50)),
    ],
    ids=["torch", "torch, bf16", "jax"],
)
def test_both_frameworks_softmax_is_one(graph):
    kernel = kernel_of(graph())
    found = softmax_of(kernel)
    assert isinstance(found, Softmax) and not found.zeroed
    assert found.score == kernel.reductions[kernel.phases[0].effects[0].names[0]].args[0]


@pytest.mark.parametrize(
    ("body", "near"),
    [
        ("return q / q.sum(-1, keepdim=True)", False),
        ("return torch.log_softmax(q, -1)", False),
        ("return torch.softmax(q, -1) * 2", True),
        ("return q.amax(-1)", False),
    ],
)
def test_what_is_none_says_whether_it_is_near(body, near):
    found = softmax_of(kernel_of(torch_attention(body, (30, 50))))
    assert isinstance(found, NoSoftmax) and found.near is near


def test_weights_written_twice_are_needed_elsewhere():
    kernel = kernel_of(torch_attention("return torch.softmax(q, -1)", (30, 50)))
    *phases, last = kernel.phases
    twice = replace(last, effects=(*last.effects, replace(last.effects[0], buffer="again")))
    found = softmax_of(replace(kernel, phases=(*phases, twice)))
    assert isinstance(found, NoSoftmax) and "read by another step" in found.reason


@pytest.mark.parametrize("masked", [True, False])
def test_a_score_that_is_doubled_is_looked_through_once(masked):
    """Looked through once for each reader, 200 sums one after the other would never end."""
    first = [
        Load("x", F32, "x", at(i0=50, i1=1)),
        Index("row", I32, at(i0=1)),
        Index("key", I32, at(i1=1)),
        Compute("seen", BOOL, "compare", ("key", "row"), (), "LE"),
        Const("none", F32, -inf),
        Compute("score", F32, "select", ("seen", "x", "none")),
    ]
    last = "score" if masked else "x"
    sums = []
    for i in range(200):
        sums.append(Compute(f"sum{i}", F32, "add", (last, last)))
        last = f"sum{i}"
    kernel = build("k", "elementwise", "i0:50 i1:50", [], [*first, *sums])
    assert last_key(kernel, last, "i0", "i1") == (0 if masked else None)
