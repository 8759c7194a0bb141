"""The table of the torch front end: name of an ATen operation -> rule.

A key is an operation ("add": all of its overloads) or one overload ("sum.dim_IntList").
"""

from compiler_core.capture.torch import (
    bags,
    choices,
    convolutions,
    functions,
    indexing,
    norm_gradients,
    norms,
    order,
    pointwise,
    pooling,
    products,
    reductions,
    scatters,
    searching,
    special,
    views,
)
from compiler_core.capture.torch.pointwise import TorchRule

TABLE: dict[str, TorchRule] = {
    **pointwise.TABLE,
    **choices.TABLE,
    **functions.TABLE,
    **special.TABLE,
    **views.TABLE,
    **reductions.TABLE,
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
