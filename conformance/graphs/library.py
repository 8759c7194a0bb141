"""Steps that call the framework's own kernels: one result, or two of other shapes."""

from collections.abc import Callable
from typing import Any

import torch

from compiler_core.ir.library import Callee
from compiler_core.ir.types import F32, F64, TensorType
from conformance.graphs.growing import Growing, Known, Unfit
from conformance.graphs.table import Step

_DTYPES = (F32, F64)


def _asinh(x: torch.Tensor) -> torch.Tensor:
    return torch.asinh(x)


def _ends(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.amin(-1), x.amax(-1)


def _call(g: Growing) -> Known:
    several = g.chance(0.5)
    x = g.operand(
        lambda t: t.rank >= 1 and t.dtype in _DTYPES,
        lambda: TensorType(g.rng.choice(_DTYPES), g.shape(1)),
    )
    if g.least(x.shape[-1]) == 0:
        raise Unfit("it has no ends")
    call: Callable[..., Any] = _ends if several else _asinh
    types = (x.type.with_shape(x.shape[:-1]),) * 2 if several else (x.type,)
    callee = Callee(call.__name__.strip("_"), "torch", "it is called to be called", call)
    return g.rng.choice(g.add("library_call", x, types=types, callee=callee))


STEPS: dict[str, Step] = {"library_call": _call}
