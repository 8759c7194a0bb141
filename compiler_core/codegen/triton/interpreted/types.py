"""Caches of what Triton's interpreter looks up anew at every operation: the numpy type of a type,
and the shape, number of elements and name of a block's type."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


def know_types() -> None:
    """Changes Triton's interpreter, for the rest of the process, to look up each type once."""
    import triton.language as tl
    from triton.language.semantic import TritonSemantic
    from triton.runtime import interpreter

    interpreter._get_np_dtype = _numpy_types(interpreter._get_np_dtype)
    tl.dtype.__eq__ = _equal(tl.dtype.__eq__)
    tl.block_type.__init__ = _block(tl.block_type.__init__)
    tl.tensor.__init__ = _tensor(tl.tensor.__init__)
    TritonSemantic.broadcast_impl_value = _broadcast(TritonSemantic.broadcast_impl_value)


def _numpy_types(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[str, Any] = {}

    def numpy_type(kind: Any) -> Any:
        scalar = kind.scalar
        if scalar.is_ptr():
            return _ADDRESS
        if scalar.name not in known:
            known[scalar.name] = original(scalar)
        return known[scalar.name]

    return numpy_type


_ADDRESS = np.dtype(np.uint64)


def _equal(original: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda self, other: self is other or original(self, other)


def _block(original: Callable[..., None]) -> Callable[..., None]:
    """Blocks of one shape share it: `a.shape is b.shape`."""
    shapes: dict[tuple[int, ...], Any] = {}
    names: dict[tuple[str, tuple[int, ...]], str] = {}

    def init(self: Any, element: Any, shape: Any) -> None:
        sizes = tuple(getattr(size, "value", size) for size in getattr(shape, "values", shape))
        key = element.name, sizes
        if key not in names:
            original(self, element, shape)
            names[key] = self.name
            shapes.setdefault(sizes, SimpleNamespace(shape=self.shape, numel=self.numel))
        self.element_ty, self.name = element, names[key]
        self.shape, self.numel = shapes[sizes].shape, shapes[sizes].numel

    return init


def _tensor(original: Callable[..., None]) -> Callable[..., None]:
    """Tensors of one shape share it, and the number of their elements."""
    known: dict[int, Any] = {}

    def init(self: Any, handle: Any, kind: Any) -> None:
        shape = kind.shape if kind.is_block() else None
        if id(shape) not in known:
            original(self, handle, kind)
            # `of` keeps the shape, whose identity is not given to another one then.
            known[id(shape)] = SimpleNamespace(of=shape, shape=self.shape, numel=self.numel)
        same = known[id(shape)]
        self.handle, self.type, self.dtype = handle, kind, kind.scalar
        self.shape, self.numel = same.shape, same.numel

    return init


def _broadcast(original: Callable[..., Any]) -> Callable[..., Any]:
    """Blocks of one shape are as they should be."""

    def broadcast(self: Any, left: Any, right: Any) -> Any:
        if left.type.is_block() and right.type.is_block() and left.type.shape is right.type.shape:
            return left, right
        return original(self, left, right)

    return broadcast
