"""ATen operations as programs of others, where torch has no decomposition of them, or one that
makes no good kernel: plain torch functions of the operation's own arguments, which are traced in
its place. Most of their gradients are torch's own autograd's.

A key is an operation ("histc": all of its overloads) or one overload ("histogram.bin_ct"), with its
namespace where that is not ATen's.
"""

from collections.abc import Callable
from typing import Any

from compiler_core.capture.torch.compositions import (
    distances,
    foreach,
    histograms,
    losses,
    margins,
    places,
    quantization,
    resampling,
    samplers,
    segments,
    windows,
)

Composition = Callable[..., Any]

TABLE: dict[str, Composition] = {
    **distances.TABLE,
    **foreach.TABLE,
    **histograms.TABLE,
    **losses.TABLE,
    **margins.TABLE,
    **places.TABLE,
    **quantization.TABLE,
    **resampling.TABLE,
    **samplers.TABLE,
    **segments.TABLE,
    **windows.TABLE,
}


def composition(func: Any) -> Composition | None:
    """The program of an overload, or that of all overloads of its operation."""
    name, overload = func._schema.name.removeprefix("aten::"), func._schema.overload_name
    return TABLE.get(f"{name}.{overload}") or TABLE.get(name)
