"""The table of the torch front end: name of an ATen operation -> rule.

A key is an operation ("add": all of its overloads) or one overload ("sum.dim_IntList").
"""

from collections.abc import Callable
from typing import Any

from compiler_core.capture.torch import (
    bags,
    choices,
    convolutions,
    functions,
    indexing,
    library,
    norm_gradients,
    norms,
    order,
    pointwise,
    pooling,
    products,
    recurrent,
    reductions,
    scatters,
    searching,
    special,
    views,
)
from compiler_core.capture.torch.memory import BY_MEMORY
from compiler_core.capture.torch.pointwise import TorchRule

TABLE: dict[str, TorchRule] = {
    **pointwise.TABLE,
    **choices.TABLE,
    **functions.TABLE,
    **special.TABLE,
    **views.TABLE,
    **reductions.TABLE,
    **recurrent.TABLE,
    **norms.TABLE,
    **norm_gradients.TABLE,
    **products.TABLE,
    **convolutions.TABLE,
    **indexing.TABLE,
    **scatters.TABLE,
    **searching.TABLE,
    **bags.TABLE,
    **order.TABLE,
    **pooling.TABLE,
}


def has_row(func: Any) -> bool:
    """Whether the table lowers an operation, or the twin of one in place; or the lowering itself
    does, by memory."""
    if func in BY_MEMORY:
        return True
    if func._schema.is_mutable:
        func = library.functional_twin(func)
    return func is not None and row(func) is not None


def row(func: Any) -> Callable[..., Any] | None:
    """The rule of an overload, or that of all overloads of its operation."""
    if func.namespace == "prims":
        return TABLE.get(func._schema.name)
    if func.namespace != "aten":
        return None
    name = func._schema.name.removeprefix("aten::")
    overload = func._schema.overload_name
    return TABLE.get(f"{name}.{overload}") or TABLE.get(name)
