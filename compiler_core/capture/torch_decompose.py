"""torch's own decompositions, for operations that have no row: traced on the same fake tensors."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from compiler_core.capture.torch_trace import Call, Recorder

# Their decomposition is longer than the one kernel that it replaces, or draws other numbers.
_KEEP = frozenset(
    {"convolution", "_convolution", "native_dropout", "bernoulli", "upsample_bicubic2d"}
)


@dataclass(frozen=True)
class Steps:
    """The calls of a decomposition; `results` stand for the original call's tensor results."""

    calls: list[Call]
    results: tuple[torch.Tensor | None, ...]


@cache
def _table() -> Any:
    from torch._decomp import core_aten_decompositions

    return core_aten_decompositions()


def decomposed(call: Call, mode: FakeTensorMode, grad: bool) -> Steps | None:
    """The steps that replace `call`, or None where there are none that are simpler."""
    name = call.func._schema.name.removeprefix("aten::")
    if name in _KEEP or torch.Tag.nondeterministic_seeded in call.func.tags:
        return None
    rule = _table().get(call.func)
    if rule is None:
        return None
    schema = call.func._schema.arguments
    positional = [a for a, s in zip(call.args, schema, strict=True) if not s.kwarg_only]
    named = {s.name: a for a, s in zip(call.args, schema, strict=True) if s.kwarg_only}
    calls: list[Call] = []
    try:
        with torch.set_grad_enabled(grad), mode, Recorder(calls):
            result = rule(*positional, **named)
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return None
    if result is NotImplemented or any(step.func is call.func for step in calls):
        return None
    return _matched(call, calls, result)


def _matched(call: Call, calls: list[Call], result: Any) -> Steps | None:
    values = result if isinstance(result, tuple | list) else (result,)
    tensors = tuple(t for t in values if isinstance(t, torch.Tensor))
    if len(tensors) != len(call.made):
        return None
    fits = all(
        t.dtype == dtype and tuple(t.shape) == shape
        for t, (_, dtype, shape) in zip(tensors, call.made, strict=True)
    )
    return Steps(calls, tensors) if fits else None
