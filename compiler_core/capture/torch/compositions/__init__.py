"""ATen operations as programs of others, where torch has no decomposition of them, or one that
makes no good kernel: plain torch functions of the operation's own arguments, which are traced in
its place. Most of their gradients are torch's own autograd's.

A key is an operation ("histc": all of its overloads) or one overload ("histogram.bin_ct"), with its
namespace where that is not ATen's.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from compiler_core.capture.torch.compositions import (
    attention,
    distances,
    foreach,
    histograms,
    losses,
    margins,
    places,
    quantization,
    recurrence,
    resampling,
    samplers,
    segments,
    upsampling,
    weights,
    windows,
)
from compiler_core.capture.torch.private import IN_PYTHON

Composition = Callable[..., Any]

TABLE: dict[str, Composition] = {
    **attention.TABLE,
    **distances.TABLE,
    **foreach.TABLE,
    **histograms.TABLE,
    **losses.TABLE,
    **margins.TABLE,
    **places.TABLE,
    **quantization.TABLE,
    **recurrence.TABLE,
    **resampling.TABLE,
    **samplers.TABLE,
    **segments.TABLE,
    **upsampling.TABLE,
    **weights.TABLE,
    **windows.TABLE,
}


@contextmanager
def in_place_of_torchs() -> Iterator[None]:
    """Context in which torch's tracing with gradients uses the compositions here for operations
    that it would otherwise decompose in Python before a dispatch mode sees them."""
    kept = [(op, dict(op.py_kernels)) for op in _taken_apart()]
    for op, kernels in kept:
        own = composition(op)
        _set(op, kernels | {key: own for key in IN_PYTHON if key in kernels})
    try:
        yield
    finally:
        for op, kernels in kept:
            _set(op, kernels)


def _taken_apart() -> Iterator[Any]:
    """The overloads of TABLE's operations with a decomposition that is their kernel in Python."""
    for name, _, overload in (key.partition(".") for key in TABLE if "::" not in key):
        op = getattr(getattr(torch.ops.aten, name), overload or "default", None)
        if op is not None and not op.py_kernels.keys().isdisjoint(IN_PYTHON):
            yield op


def _set(op: Any, kernels: dict[Any, Any]) -> None:
    op.py_kernels.clear()
    op.py_kernels.update(kernels)
    op._dispatch_cache.clear()


def composition(func: Any) -> Composition | None:
    """The composition for an overload, or for all overloads of its operation; None if there is
    none."""
    name, overload = func._schema.name.removeprefix("aten::"), func._schema.overload_name
    return TABLE.get(f"{name}.{overload}") or TABLE.get(name)
