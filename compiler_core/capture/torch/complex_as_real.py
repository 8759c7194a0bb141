"""Complex tensors, which the IR has no type for: they travel as pairs of real numbers.

Operations on them are library calls, which put the number together and take it apart again.
"""

from typing import Any

import torch

from compiler_core.capture.torch.trace import Call

PAIRS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def is_complex_as_real(call: Call) -> bool:
    """Whether complex tensors go into or come out of a call."""
    any_pair = any(dtype in PAIRS for _, dtype, _ in call.results)
    return any_pair or any(_is_complex(a) for a in call.args)


def _is_complex(arg: Any) -> bool:
    if isinstance(arg, tuple | list):
        return any(map(_is_complex, arg))
    return isinstance(arg, torch.Tensor) and arg.dtype in PAIRS


def pack(value: Any) -> Any:
    """The real tensor that carries `value`; anything else as it is."""
    if isinstance(value, torch.Tensor) and value.dtype in PAIRS:
        return torch.view_as_real(value.resolve_conj())
    return value


def unpack(tensor: Any, dtype: torch.dtype) -> Any:
    return torch.view_as_complex(tensor.contiguous()) if dtype in PAIRS else tensor
