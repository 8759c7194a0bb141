"""Complex tensors, for which the IR has no type, are pairs of real numbers in a graph.

Operations on complex tensors are library calls, which convert in both directions.
"""

from typing import Any

import torch

from compiler_core.capture.torch.trace import Call

PAIRS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def is_complex_as_real(call: Call) -> bool:
    """Whether an argument or a result of the call is complex."""
    any_pair = any(dtype in PAIRS for _, dtype, _ in call.results)
    return any_pair or any(_is_complex(a) for a in call.args)


def _is_complex(arg: Any) -> bool:
    if isinstance(arg, tuple | list):
        return any(map(_is_complex, arg))
    return isinstance(arg, torch.Tensor) and arg.dtype in PAIRS


def pack(value: Any) -> Any:
    """A complex tensor as a real one with a last dimension of 2; any other value as it is."""
    if isinstance(value, torch.Tensor) and value.dtype in PAIRS:
        return torch.view_as_real(value.resolve_conj())
    return value


def unpack(tensor: Any, dtype: torch.dtype) -> Any:
    """The inverse of `pack`, for a tensor of type `dtype`."""
    return torch.view_as_complex(tensor.contiguous()) if dtype in PAIRS else tensor
