"""The one table of the torch front door: the name of an ATen operation -> its rule.

A key is an operation ("add": all its overloads) or one overload ("sum.dim_IntList").
"""

from compiler_core.capture import (
    torch_choices,
    torch_functions,
    torch_norms,
    torch_pointwise,
    torch_products,
    torch_reductions,
    torch_views,
)
from compiler_core.capture.torch_pointwise import TorchRule

TABLE: dict[str, TorchRule] = {
    **torch_pointwise.TABLE,
    **torch_choices.TABLE,
    **torch_functions.TABLE,
    **torch_views.TABLE,
    **torch_reductions.TABLE,
    **torch_norms.TABLE,
    **torch_products.TABLE,
}
