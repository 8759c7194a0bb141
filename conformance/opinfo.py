"""torch's own database of operations: every entry, every sample."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from zlib import crc32

import torch
from torch.utils import _pytree as pytree

from conformance.sample import Sample

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64, "bool": torch.bool,
          "c64": torch.complex64}  # fmt: skip
VARIANTS = (*(f"forward {name}" for name in DTYPES), "backward f32")
# The jiterator compiles for CUDA.
_LEFT_OUT = ("jiterator",)
UNINITIALISED = frozenset(
    {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
)


def entries(variant: str) -> list[str]:
    """The names of the operations that have samples of a variant."""
    return [name for name, op in _database().items() if _has(op, variant)]


@cache
def _database() -> dict[str, Any]:
    from torch.testing._internal import common_methods_invocations as methods

    # Every run here is seeded from outside, as a program's own Python would.
    methods.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    return {op.formatted_name: op for op in methods.op_db if not op.name.startswith(_LEFT_OUT)}


def _has(op: Any, variant: str) -> bool:
    direction, _, dtype = variant.partition(" ")
    if direction == "backward":
        return op.supports_autograd and DTYPES[dtype] in op.supported_backward_dtypes("cpu")
    return DTYPES[dtype] in op.supported_dtypes("cpu")


def samples(entry: str, variant: str) -> Iterator[Sample]:
    """In the database's order; the same values at every call."""
    op = _database()[entry]
    direction, _, dtype = variant.partition(" ")
    backward = direction == "backward"
    torch.manual_seed(crc32(f"{entry} {variant}".encode()))
    # Not op.sample_inputs, which reads the source of every caller to find a test's name.
    for number, each in enumerate(list(op.sample_inputs_func(op, "cpu", DTYPES[dtype], backward))):
        fn = _backward(op, each) if backward else _forward(op)
        name, only_types = f"{entry} {variant} {number}", op.name in UNINITIALISED
        yield Sample(name, "torch", fn, (each.input, *each.args), each.kwargs, only_types)


def _forward(op: Any) -> Callable[..., Any]:
    def f(*args: Any, **kwargs: Any) -> Any:
        return op.op(*args, **kwargs)

    return f


def _backward(op: Any, sample: Any) -> Callable[..., Any]:
    """Forward and backward pass, from the results that have a gradient. Which these are is asked
    here: where the program asks, a trace without autograd finds none."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        return sample.output_process_fn_grad(op.op(*args, **kwargs))

    leaves = pytree.tree_leaves(forward(sample.input, *sample.args, **sample.kwargs))
    places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.requires_grad]

    def f(*args: Any, **kwargs: Any) -> Any:
        result = forward(*args, **kwargs)
        found = pytree.tree_leaves(result)
        roots = [found[i] for i in places]
        torch.autograd.backward(roots, [torch.cos(x.detach()) + 0.5 for x in roots])
        return result

    return f
