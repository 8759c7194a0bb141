"""The names of torch that running programs uses and that torch does not promise, in one place; a
test looks up each (tests/project/test_private_names.py)."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch._C._dynamo import guards

from compiler_core.ir.types import BF16, F16, DType

# An allocation by the public function takes three times as long, which is as long as a launch:
# this is what TorchInductor's programs allocate by. It takes tuples and nothing like them.
empty_on_gpu: Callable[[tuple[int, ...], tuple[int, ...], torch.dtype], torch.Tensor] = (
    guards._empty_strided_cuda  # type: ignore[attr-defined]
)


def multiplied_by_onednn() -> dict[DType, bool]:
    """Whether torch leaves products of 16-bit floats to oneDNN, which has instructions for them,
    or computes them by loops of its own."""
    ops: Any = torch.ops.mkldnn
    return {BF16: ops._is_mkldnn_bf16_supported(), F16: ops._is_mkldnn_fp16_supported()}


def stream_now() -> int:
    """The handle of torch's current stream."""
    return _stream_of()(torch.cuda.current_device())


@cache
def _stream_of() -> Callable[[int], int]:
    """Builds of torch for CUDA have it, as Triton uses it."""
    quick: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return quick or (lambda device: int(torch.cuda.current_stream(device).cuda_stream))
