"""Which calls are on complex tensors, for which the IR has no type: they are library calls, which
convert from pairs of real numbers and back."""

from typing import Any

import torch

from compiler_core.capture.torch.trace import Call
from compiler_core.interop.complex_pairs import REAL_OF_COMPLEX


def is_complex_as_real(call: Call) -> bool:
    """Whether an argument or a result of the call is complex."""
    any_pair = any(dtype in REAL_OF_COMPLEX for _, dtype, _ in call.results)
    return any_pair or any(_is_complex(a) for a in call.args)


def _is_complex(arg: Any) -> bool:
    if isinstance(arg, tuple | list):
        return any(map(_is_complex, arg))
    return isinstance(arg, torch.Tensor) and arg.dtype in REAL_OF_COMPLEX
