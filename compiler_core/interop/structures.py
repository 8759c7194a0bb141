"""The leaves of what a torch program returns: of the structures that torch's pytrees know, and of
records that they do not know: unregistered dataclasses, namespaces, distributions."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from types import SimpleNamespace
from typing import Any

from torch.distributions import Distribution

from compiler_core.interop.private import pytree

Rebuild = Callable[[Sequence[Any]], Any]


def flatten(value: Any) -> tuple[list[Any], Rebuild]:
    """The leaves of `value` in order, and a function that rebuilds the structure with others. A
    record is rebuilt as a copy with other attributes, without calling its constructor."""
    outer, spec = pytree.tree_flatten(value)
    parts = [_opened(leaf) for leaf in outer]
    counts = [len(leaves) for leaves, _ in parts]

    def rebuild(given: Sequence[Any]) -> Any:
        rest = iter(given)
        inner = [[next(rest) for _ in range(count)] for count in counts]
        rebuilt = [again(xs) for (_, again), xs in zip(parts, inner, strict=True)]
        return pytree.tree_unflatten(rebuilt, spec)

    return [leaf for leaves, _ in parts for leaf in leaves], rebuild


def leaves_of(value: Any) -> list[Any]:
    """The leaves of `value` in order."""
    return flatten(value)[0]


def _opened(leaf: Any) -> tuple[list[Any], Rebuild]:
    if not _is_record(leaf):
        return [leaf], lambda given: given[0]
    leaves, values_of = flatten(dict(vars(leaf)))
    # The copy keeps none of the attributes, which may be large.
    blank = copy.copy(leaf)
    vars(blank).clear()

    def rebuild(given: Sequence[Any]) -> Any:
        record = copy.copy(blank)
        vars(record).update(values_of(given))
        return record

    return leaves, rebuild


def _is_record(value: Any) -> bool:
    kind = type(value)
    named = isinstance(value, SimpleNamespace | Distribution)
    return (named or is_dataclass(kind)) and hasattr(value, "__dict__")
