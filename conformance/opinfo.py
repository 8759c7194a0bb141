"""torch's own database of operations: every entry, every sample."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from zlib import crc32

import torch

from conformance import gradients
from conformance.device import device
from conformance.sample import Sample

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64, "bool": torch.bool,
          "c64": torch.complex64}  # fmt: skip
VARIANTS = (*(f"forward {name}" for name in DTYPES), "backward f32", "double backward f32")
# Of gradients of gradients, so many of the samples: they are computed by torch's own formulas of
# gradients, which the others go through, too.
SHARES = {"double backward f32": 0.1}
# The jiterator compiles for CUDA.
_LEFT_OUT = ("jiterator",)
UNINITIALISED = frozenset(
    {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
)


def entries(variant: str) -> list[str]:
    """The names of the operations that have samples of a variant."""
    return [name for name, op in database().items() if _has(op, variant)]


@cache
def database() -> dict[str, Any]:
    from torch.testing._internal import common_methods_invocations as methods

    # Every run here is seeded from outside, as a program's own Python would.
    methods.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    return {op.formatted_name: op for op in methods.op_db if not op.name.startswith(_LEFT_OUT)}


def _has(op: Any, variant: str) -> bool:
    direction, _, dtype = variant.rpartition(" ")
    if direction != "forward":
        supported = op.supports_autograd if direction == "backward" else op.supports_gradgrad
        return supported and DTYPES[dtype] in op.supported_backward_dtypes(device())
    return DTYPES[dtype] in op.supported_dtypes(device())


def samples(entry: str, variant: str) -> Iterator[Sample]:
    """In the database's order; the same values at every call."""
    op = database()[entry]
    direction, _, dtype = variant.rpartition(" ")
    graded = direction != "forward"
    torch.manual_seed(crc32(f"{entry} {variant}".encode()))
    # Not op.sample_inputs, which reads the source of every caller to find a test's name.
    given = op.sample_inputs_func(op, device(), DTYPES[dtype], graded)
    for number, each in enumerate(list(given)):
        args = (each.input, *each.args)
        forward = _function(op, each) if graded else plain(op)
        fn = _PROGRAMS[direction](forward, args, each.kwargs)
        name, only_types = f"{entry} {variant} {number}", op.name in UNINITIALISED
        if fn is not None:
            yield Sample(name, "torch", fn, args, each.kwargs, only_types)


_PROGRAMS: dict[str, Callable[..., Callable[..., Any] | None]] = {
    "forward": lambda fn, *_: fn,
    "backward": gradients.backward,
    "double backward": gradients.twice,
}


def plain(op: Any) -> Callable[..., Any]:
    """An operation as a function, as a snippet has it."""

    def f(*args: Any, **kwargs: Any) -> Any:
        return op.op(*args, **kwargs)

    return f


def _function(op: Any, sample: Any) -> Callable[..., Any]:
    def f(*args: Any, **kwargs: Any) -> Any:
        return sample.output_process_fn_grad(op.op(*args, **kwargs))

    return f
