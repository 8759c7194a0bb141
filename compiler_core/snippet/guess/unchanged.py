"""Undoing what a trial leaves in the snippet: the state that an optimizer begins to keep, an entry
of a dict, a gradient, the data of a parameter, a function's cache. In a trial these are tensors
without values, which have no memory."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from compiler_core.snippet.memos import Memos

# The most containers that are searched.
_MOST = 4000


@dataclass(frozen=True)
class Kept:
    """The containers that a snippet's variables reach, with their contents; the tensors, with their
    memory and gradients; and the functions' caches."""

    containers: tuple[tuple[Any, Any], ...]
    tensors: tuple[tuple[Any, Any, Any], ...]
    memos: Memos

    @classmethod
    def now(cls, names: ModuleType) -> "Kept":
        """The current state of the variables in `names`."""
        found = list(_reached(vars(names)))
        tensors = [x for x in found if _is_leaf(x)]
        containers = [x for x in found if isinstance(x, dict | list | set)]
        copies = tuple((x, dict(x) if isinstance(x, dict) else x.copy()) for x in containers)
        return cls(copies, tuple((x, x.data, x.grad) for x in tensors), Memos(names))

    def restore(self) -> None:
        """Restores what has changed."""
        self.memos.forget()
        for container, before in self.containers:
            if not _is_same(container, before):
                container.clear()
                (container.extend if isinstance(container, list) else container.update)(before)
        for tensor, data, gradient in self.tensors:
            if _is_elsewhere(tensor, data):
                tensor.data = data
            if tensor.grad is not gradient:
                tensor.grad = gradient


def _is_elsewhere(tensor: Any, data: Any) -> bool:
    """Whether a tensor has other memory: `w.data += x` gives it that of `x`, if any."""
    if tensor.device != data.device or tensor.dtype != data.dtype:
        return True
    return tensor.shape != data.shape or tensor.data_ptr() != data.data_ptr()


def _is_same(container: Any, before: Any) -> bool:
    if len(container) != len(before):
        return False
    if isinstance(container, dict):
        return all(k in container and container[k] is v for k, v in before.items())
    return all(a is b for a, b in zip(container, before, strict=True))


def _reached(names: dict[str, Any]) -> Iterator[Any]:
    """Containers, the namespaces of objects among them, and tensors, each once."""
    waiting: list[Any] = [names]
    known: dict[int, Any] = {}
    while waiting and len(known) < _MOST:
        value = waiting.pop()
        if id(value) in known:
            continue
        known[id(value)] = value
        if not isinstance(value, tuple):
            yield value
        waiting.extend(x for x in _inside(value) if _is_looked_into(x))


def _inside(value: Any) -> Iterable[Any]:
    parts: Iterable[Any] = value if isinstance(value, list | tuple) else ()
    if isinstance(value, dict):
        parts = value.values()
    return [vars(x) if _has_state(x) else x for x in parts]


def _is_looked_into(value: Any) -> bool:
    return isinstance(value, dict | list | set | tuple) or _is_leaf(value)


def _is_leaf(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor) and value.is_leaf


def _has_state(value: Any) -> bool:
    """An object of the snippet's classes; in torch also modules and optimizers."""
    torch = sys.modules.get("torch")
    of_torch = () if torch is None else (torch.nn.Module, torch.optim.Optimizer)
    own = type(value).__module__ == "__main__" or isinstance(value, of_torch)
    return own and isinstance(getattr(value, "__dict__", None), dict)
