"""The sizes of a compiled call that the snippet declares as varying: `dynamic=True`, or a mark on a
dimension of a tensor (mark_dynamic)."""

from collections.abc import Mapping, Sequence
from typing import Any

# 0 and 1 are sizes of another kind.
_LEAST = 2

Sizes = tuple[tuple[str, ...], ...]


def sizes_of(args: Sequence[Any], options: Mapping[str, Any]) -> Sizes:
    """For each tensor among `args`, a name for each dimension that varies and "" for the others; ()
    if none does. Dimensions of equal size get one name, as in torch.compile."""
    tensors = [x for x in args if hasattr(x, "shape")]
    names: dict[int, str] = {}
    found = tuple(_names(x, bool(options.get("dynamic")), names) for x in tensors)
    return found if names else ()


def _names(tensor: Any, every: bool, names: dict[int, str]) -> tuple[str, ...]:
    marked = _marked(tensor)
    return tuple(
        names.setdefault(size, f"S{len(names)}")
        if size >= _LEAST and (every or d in marked)
        else ""
        for d, size in enumerate(tensor.shape)
    )


def _marked(tensor: Any) -> set[int]:
    """The dimensions that `torch._dynamo.mark_dynamic` and `maybe_mark_dynamic` were told."""
    marks = ("_dynamo_dynamic_indices", "_dynamo_weak_dynamic_indices")
    return set().union(*(getattr(tensor, mark, ()) for mark in marks))
