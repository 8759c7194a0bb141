"""Calls of a framework's own kernel, from torch."""

from typing import Any

from compiler_core.interop import arrays
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.eval_torch.context import Context, SeveralRule
from compiler_core.ir.graph import Operation


def _library_call(c: Context, operation: Operation, *xs: Any) -> tuple[Any, ...]:
    callee, count = operation["callee"], len(operation.types)

    def call(*operands: Any) -> Any:
        if callee.framework == "jax":
            results = tuple(map(arrays.to_torch, callee.results(*map(arrays.to_jax, operands))))
        else:
            results = callee.results(*operands)
        return results[0] if count == 1 else results

    if c.float_dtype is not None:
        return _in_float_dtype(c, operation, call, xs)
    called = c.make(call, *xs)
    # By index: a recorded call's results cannot be counted.
    return (called,) if count == 1 else tuple(called[i] for i in range(count))


def _in_float_dtype(
    c: Context, operation: Operation, call: Any, xs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The call in the reference's precision; in the program's own if the kernel rejects other types
    or is JAX's, which has no float64 unless enabled for the whole process."""
    types = (x.type for x in operation.operands)
    declared = [x.to(TORCH[t.dtype.name]) for x, t in zip(xs, types, strict=True)]
    if operation["callee"].framework == "jax":
        results = call(*declared)
    else:
        try:
            results = call(*xs)
        # A kernel of torch's that has no float64: in C++, or in Python.
        except (RuntimeError, TypeError, AssertionError):
            results = call(*declared)
    several = (results,) if len(operation.types) == 1 else results
    return tuple(r.to(c.dtype(t.dtype)) for r, t in zip(several, operation.types, strict=True))


SEVERAL: dict[str, SeveralRule] = {"library_call": _library_call}
