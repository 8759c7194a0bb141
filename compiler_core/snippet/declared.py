"""Which sizes torch.export's `dynamic_shapes` declare as varying, and between which bounds."""

import inspect
import keyword
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple


class Varies(NamedTuple):
    """The declared range of a dimension that varies: its least and greatest size, None if not
    declared, and its name as on the page, "" if it has none."""

    low: int | None = None
    high: int | None = None
    name: str = ""


# By the identity of a tensor, its varying dimensions by number.
Declared = dict[int, dict[int, Varies]]


def declared_sizes(
    fn: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], shapes: Any
) -> Declared:
    """For each tensor among the arguments, by its identity, the dimensions that `shapes` names with
    a Dim, Dim.AUTO or Dim.DYNAMIC; `shapes` has the structure of the arguments. A size that is a
    number, None or derived from another Dim does not vary."""
    if not shapes:
        return {}
    given = _by_name(fn, args, kwargs) if isinstance(shapes, Mapping) else tuple(args)
    return dict(_declared(given, shapes))


def _by_name(fn: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    try:
        named = inspect.signature(getattr(fn, "forward", fn)).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return dict(kwargs)
    return {**named, **kwargs}


def _declared(given: Any, shapes: Any) -> Iterator[tuple[int, dict[int, Varies]]]:
    if hasattr(given, "shape"):
        dims = shapes.items() if isinstance(shapes, Mapping) else enumerate(shapes or ())
        found = {dim: _said(declared) for dim, declared in dims if _varies(declared)}
        if found:
            yield id(given), found
    elif isinstance(given, Mapping) and isinstance(shapes, Mapping):
        for name in given.keys() & shapes.keys():
            yield from _declared(given[name], shapes[name])
    elif isinstance(given, list | tuple) and isinstance(shapes, list | tuple):
        for one, own in zip(given, shapes, strict=False):
            yield from _declared(one, own)


def _varies(declared: Any) -> bool:
    """A Dim has a root where it is made of another; Dim.AUTO and its kin have a name in `type`."""
    if declared is None or isinstance(declared, int) or hasattr(declared, "root"):
        return False
    return "STATIC" not in str(getattr(declared, "type", ""))


def _said(declared: Any) -> Varies:
    low, high = getattr(declared, "min", None), getattr(declared, "max", None)
    # Without a greatest size, torch has an infinity there.
    return Varies(low, high if type(high) is int else None, _name(declared))


def _name(declared: Any) -> str:
    """Of Dim("seq_len"), "Seqlen"; "" where that is no name for a size."""
    own = getattr(declared, "__name__", "").replace("_", "").capitalize()
    is_one = own.isascii() and own.isalnum() and own[0].isalpha() and not keyword.iskeyword(own)
    return own if is_one else ""
