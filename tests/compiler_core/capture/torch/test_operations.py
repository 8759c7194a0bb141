"""torch's own database of operations, through capture, against torch itself.

Counted by what became of each operation: all native, a library call, or refused or left to Python
because its result's shape or a Python value depends on data.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
import torch

from compiler_core.errors import CaptureError
from compiler_core.ir.eval_torch import evaluate
from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.sweep_plugin import thinned

if TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo, SampleInput

pytestmark = [pytest.mark.cpu, pytest.mark.filterwarnings("ignore")]

KINDS = {
    "unary": lambda op: is_a(op, "UnaryUfuncInfo"),
    "binary": lambda op: is_a(op, "BinaryUfuncInfo"),
    "reduction": lambda op: is_a(op, "ReductionOpInfo"),
    "nn": lambda op: op.name.startswith("nn.functional."),
    "view": lambda op: op.name in VIEWS,
    "special": lambda op: op.name.startswith(("special.", "polygamma", "mvlgamma", "igamma")),
    "places": lambda op: op.name in PLACES,
}
PLACES = frozenset({
    "as_strided", "as_strided_copy", "as_strided_scatter", "bucketize", "cdist",
    "diagonal_scatter", "gather", "histc", "histogram", "histogramdd", "index_add",
    "index_copy", "index_fill", "index_put", "index_reduce", "isin", "masked_scatter", "mode",
    "nonzero_static", "put", "scatter", "scatter_add", "scatter_reduce", "searchsorted",
    "select_scatter", "slice_scatter", "take", "take_along_dim", "unfold", "unfold_copy",
    "_segment_reduce", "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate",
})  # fmt: skip
VIEWS = frozenset(
    [
        "broadcast_to",
        "cat",
        "chunk",
        "column_stack",
        "diagonal",
        "dstack",
        "expand",
        "flatten",
        "flip",
        "fliplr",
        "flipud",
        "hstack",
        "movedim",
        "narrow",
        "permute",
        "ravel",
        "repeat",
        "reshape",
        "roll",
        "rot90",
        "select",
        "slice",
        "split",
        "squeeze",
        "stack",
        "swapaxes",
        "swapdims",
        "t",
        "tile",
        "transpose",
        "tril",
        "triu",
        "unbind",
        "unflatten",
        "unsqueeze",
        "view",
        "vstack",
    ]
)
# At least so many programs of each kind are native, of one sample and of two of each operation; no
# more than so many are refused.
NATIVE = {
    "unary": (119, 203), "binary": (63, 118), "reduction": (28, 56), "nn": (111, 220),
    "view": (37, 73), "special": (45, 86), "places": (42, 82),
}  # fmt: skip
REFUSED = {
    "unary": (1, 2), "binary": (0, 0), "reduction": (0, 0), "nn": (1, 2), "view": (0, 1),
    "special": (0, 0), "places": (0, 2),
}  # fmt: skip


def is_a(op: OpInfo, kind: str) -> bool:
    # Late: it takes seconds, and every session of pytest imports this module.
    from torch.testing._internal.opinfo import core

    return isinstance(op, getattr(core, kind))


def samples(op, count: int) -> Iterator[SampleInput]:
    # Not op.sample_inputs, which reads the source of every caller to find a test's name.
    yield from itertools.islice(op.sample_inputs_func(op, "cpu", torch.float32, False), count)


def outcome(op, sample: SampleInput) -> str:
    def program(*args, **kwargs):
        return op.op(*args, **kwargs)

    try:
        result = captured("torch", program, sample.input, *sample.args, kwargs=sample.kwargs)
    except CaptureError:
        return "refused"
    if not result.graphs:
        return "refused"
    calls = library_calls(result)
    if not any(
        "random" in n["callee"].reason for n in result.graph.operations if n.op == "library_call"
    ):
        compare(
            op.name, evaluate(result.graph, list(result.arguments)), result.eager(result.arguments)
        )
    return "library" if calls else "native"


def compare(name: str, got: list[torch.Tensor], want: list[torch.Tensor]) -> None:
    for ours, theirs in zip(got, want, strict=True):
        torch.testing.assert_close(
            ours, theirs, rtol=2e-5, atol=2e-5, equal_nan=True, msg=lambda m: f"{name}: {m}"
        )


@pytest.mark.parametrize("count", thinned((1, 2), kept=(1,)))
@pytest.mark.parametrize("kind", KINDS)
def test_operations(kind, count, monkeypatch):
    from torch.testing._internal import common_methods_invocations as invocations

    # A program that sets seeds is left to Python; here it is about the operation within.
    monkeypatch.setattr(
        invocations, "wrapper_set_seed", lambda op, *given, **more: op(*given, **more)
    )
    torch.manual_seed(0)
    counts: Counter[str] = Counter()
    for op in invocations.op_db:
        # The jiterator compiles for CUDA.
        if "jiterator" not in op.name and KINDS[kind](op) and torch.float32 in op.dtypes:
            for sample in samples(op, count):
                counts[outcome(op, sample)] += 1
    seen = f"{kind}: {dict(counts)}"
    assert counts["native"] >= NATIVE[kind][count - 1], seen
    assert counts["refused"] <= REFUSED[kind][count - 1], seen


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.int16, torch.float64], ids=str)
def test_a_view_as_another_type(dtype):
    result = agrees(captured("torch", lambda x: x.view(dtype) + 1, torch.rand(3, 4)))
    assert library_calls(result) == []


def test_a_write_to_a_view_as_a_narrower_type():
    def f(x):
        y = x.clone()
        y.view(torch.int8)[:, ::2] = 3
        return y

    assert library_calls(agrees(captured("torch", f, torch.arange(8).reshape(2, 4)))) == []


def test_a_product_of_bytes_is_summed_in_32_bits():
    x = torch.arange(-128, 128, dtype=torch.int8).repeat(3).reshape(24, 32)
    result = agrees(captured("torch", lambda x: torch._int_mm(x, x.t().contiguous()), x))
    assert library_calls(result) == []
