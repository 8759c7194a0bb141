"""The forms of a call's tensors: their sizes, strides, and where they begin. A torch program may
change that of an input (`x.t_()`), and is compiled for what it was given."""

from collections.abc import Iterable, Mapping
from typing import Any

from compiler_core.snippet.specs import is_abstract

Form = tuple[tuple[int, ...], tuple[int, ...], int]


def forms_of(leaves: Iterable[Any]) -> dict[int, Form]:
    """Of the tensors among the leaves, by identity."""
    return {id(x): _form(x) for x in leaves if _has_form(x)}


def as_given(tree: Any, forms: Mapping[int, Form]) -> Any:
    """`tree` with, for each tensor that has another form by now, its memory in the form it had."""
    from compiler_core.interop.private import pytree

    views: dict[int, Any] = {}

    def given(x: Any) -> Any:
        if id(x) not in forms:
            return x
        return views.setdefault(id(x), _formed(x, forms[id(x)]))

    return pytree.tree_map(given, tree)


def _has_form(value: Any) -> bool:
    import torch

    plain = type(value) in (torch.Tensor, torch.nn.Parameter) and not is_abstract(value)
    return plain and value.layout is torch.strided and value.device.type != "meta"


def _form(tensor: Any) -> Form:
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


def _formed(tensor: Any, form: Form) -> Any:
    if _form(tensor) == form or not _holds(tensor, form):
        return tensor
    return tensor.detach().as_strided(*form).requires_grad_(tensor.requires_grad)


def _holds(tensor: Any, form: Form) -> bool:
    """Whether the tensor's memory is long enough: `resize_` may have made it shorter."""
    sizes, strides, begins = form
    last = begins + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    return 0 in sizes or (last + 1) * tensor.element_size() <= tensor.untyped_storage().nbytes()
