"""torch programs with operations that are given functions or operators of the snippet's: each is
compiled as the operations that it is made of."""

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore

# Functions of torch's keep what snippets have given them; a process has one snippet.
pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled", "dynamo_forgotten")]

FLEX = """
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

documents = torch.tensor([0] * 20 + [1] * 12)
torch.manual_seed(0)
q, k, v = torch.randn(1, 4, 32, 16), torch.randn(1, {heads}, 32, 16), torch.randn(1, {heads}, 32, 16)

def within(b, h, q, kv):
    return (q >= kv) & (q - kv < 8)

def of_one_document(b, h, q, kv):
    return (q >= kv) & (documents[q] == documents[kv])

def capped(score, b, h, q, kv):
    return 20 * torch.tanh(score / 20) - h * (q - kv)

def mask(seen):
    return create_block_mask(seen, None, None, 32, 32, device="cpu")

print(torch.compile(flex_attention)(q, k, v, {options}).shape)
"""  # noqa: E501
WRITES = """
import torch

@torch.library.custom_op("fuselab_test::count_", mutates_args={"total"})
def count_(total: torch.Tensor, by: torch.Tensor) -> None:
    total.add_(by)

@torch.compile(fullgraph=True)
def f(x, total):
    y = x * 2
    count_(total, y.sum())
    return y + total

print(f(torch.ones(4), torch.zeros(())))
"""


def explored(source: str) -> report.Program:
    result = report.Report()
    explore(source, report.Options(measure=False), lambda event: report.apply(result, event))
    assert result.error is None
    (program,) = result.programs
    assert program.error is None and program.numerics["core"].ok
    return program


@pytest.mark.parametrize(
    ("heads", "options"),
    [(4, "score_mod=capped, block_mask=mask(within)"),
     (2, "block_mask=mask(of_one_document), enable_gqa=True, scale=0.1")],
    ids=["capped scores in a window", "documents and grouped heads"],
)  # fmt: skip
def test_flex_attention_is_one_generated_kernel(heads, options):
    program = explored(FLEX.format(heads=heads, options=options))
    assert [(k.kind, k.library) for k in program.kernels if k.backend == "cpu"] == [
        ("attention", None)
    ]


def test_an_operator_of_the_snippets_may_write_to_its_arguments():
    program = explored(WRITES)
    called = [k.library for k in program.kernels if k.backend == "cpu" and k.library]
    assert called == ["fuselab_test.count_.default"]


def test_an_operator_of_the_snippets_is_called_its_own_with_what_to_do():
    (why,) = (k.reason for k in explored(WRITES).kernels if k.backend == "cpu" and k.library)
    assert "fuselab_test::count_ is an operator of the snippet's own" in why
    assert "as a plain function of PyTorch's operations" in why and "no rule" not in why
