"""Speeding up Triton's interpreter where it repeats work without an effect on results.

It patches its language anew for every launch and at every call of a function in a kernel, for which
it goes through all members of its modules; and a reduction whose function has several operations
calls that function for each element, on one-element arrays. Here the language is patched once, and
a reduction is a tree over whole arrays, as on a GPU: neighbours first, in their order. What else is
repeated at every operation is in types.py, and for every function in source.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler_core.codegen.triton.interpreted.source import read_once
from compiler_core.codegen.triton.interpreted.types import know_types

Array = npt.NDArray[Any]
Arrays = tuple[Array, ...]


@cache
def quicken() -> None:
    """Changes Triton's interpreter for the rest of the process, in which Triton can then only
    interpret, not compile."""
    import triton.language as tl
    from triton.runtime import interpreter

    everything = SimpleNamespace(__globals__={"tl": tl, "core": tl.core})
    interpreter._patch_lang(everything)
    unchanged = SimpleNamespace(restore=lambda: None)
    interpreter._patch_lang = lambda function: unchanged
    # Integers are computed once more in 64 bits, for an assertion that only `debug` looks at.
    builder = interpreter.interpreter_builder
    builder.options = replace(builder.options, sanitize_overflow=builder.options.debug)
    know_types()
    read_once()
    interpreter.ReduceOps.generic_reduce = _reduce
    interpreter.ScanOps.generic_scan = _scan


def _reduce(self: Any, operands: Sequence[Any]) -> list[Any]:
    """`operands` folded along an axis, or all of their elements."""
    shape = operands[0].handle.data.shape
    axis = 0 if self.axis is None else self.axis
    parts: Arrays = tuple(
        x.handle.data.reshape(-1) if self.axis is None else x.handle.data for x in operands
    )
    combine = _on_arrays(self, operands)
    while parts[0].shape[axis] > 1:
        left, right = (tuple(_every_second(x, axis, start) for x in parts) for start in (0, 1))
        parts = combine(left, right)
    gone = range(len(shape)) if self.axis is None else (axis,)
    ones = [1 if i in gone else size for i, size in enumerate(shape)]
    rest = [size for i, size in enumerate(ones) if self.keep_dims or i not in gone]
    return [
        self.to_tensor(data.reshape(rest), x.dtype) for data, x in zip(parts, operands, strict=True)
    ]


def _scan(self: Any, operands: Sequence[Any]) -> list[Any]:
    """The inclusive scan of `operands`: each with what stands 1, 2, 4, ... before it."""
    parts: Arrays = tuple(x.handle.data for x in operands)
    combine, length = _on_arrays(self, operands), parts[0].shape[self.axis]
    along = [-1 if i == self.axis else 1 for i in range(parts[0].ndim)]
    places = np.arange(length).reshape(along)
    distance = 1
    while distance < length:
        # What comes around the end is not used.
        before = tuple(np.roll(x, distance, self.axis) for x in parts)
        combined = combine(before, parts)
        parts = tuple(
            np.where(places >= distance, new, old) for new, old in zip(combined, parts, strict=True)
        )
        distance *= 2
    return [self.to_tensor(data, x.dtype) for data, x in zip(parts, operands, strict=True)]


def _every_second(x: Array, axis: int, start: int) -> Array:
    return x[(slice(None),) * axis + (slice(start, None, 2),)]


def _on_arrays(self: Any, operands: Sequence[Any]) -> Callable[[Arrays, Arrays], Arrays]:
    """The function that combines, of the interpreter's tensors, as one of numpy's arrays."""

    def combine(left: Arrays, right: Arrays) -> Arrays:
        tensors = [
            self.to_tensor(data, x.dtype)
            for side in (left, right)
            for data, x in zip(side, operands, strict=True)
        ]
        result = self.combine_fn.fn(*tensors)
        results = result if isinstance(result, tuple) else (result,)
        return tuple(
            np.broadcast_to(_values(new), old.shape).astype(old.dtype)
            for new, old in zip(results, left, strict=True)
        )

    return combine


def _values(x: Any) -> Any:
    """A tensor's array; a number stays one."""
    return x.handle.data if hasattr(x, "handle") else x
