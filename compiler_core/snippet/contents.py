"""What lists, dicts and sets have in them that a torch program reaches: it may append to them, and
TorchDynamo compiles anew where one has become longer.

What a container has in it is a Binding as a module's numbers are (circumstances.py), so that it is
recorded, told apart and set back as these are.
"""

import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from operator import is_
from typing import Any

from compiler_core.snippet.circumstances import PLAIN, Binding, ByValue

_MAPPINGS = (dict, OrderedDict, defaultdict)
_SEQUENCES = (list, deque)
_KINDS = frozenset((*_MAPPINGS, *_SEQUENCES, set))
# The one name that a container has as a namespace.
_NAME = "items"
# Nobody appends to a vocabulary or a data set in each call: longer ones are let be, and of all
# that are within each other, the first so many are looked at.
_LONGEST = 10_000
_MOST = 100


@dataclass(frozen=True, eq=False)
class Items(ByValue):
    """What a container has in it: of a mapping, keys and values in turn. Equal are those of the
    same objects, for tensors have no equality that is a bool."""

    every: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Items) or len(self.every) != len(other.every):
            return False
        return all(map(is_, self.every, other.every))

    __hash__ = None  # type: ignore[assignment]

    @property
    def guarded(self) -> tuple[Any, ...]:
        """What of it guards can see: how many there are, and the numbers and texts among them."""
        plain = (x if isinstance(x, PLAIN) else type(x).__name__ for x in self.every)
        return len(self.every), *plain


class Content(MutableMapping[str, Any]):
    """A container as the namespace of its Items."""

    def __init__(self, container: Any) -> None:
        self._container = container

    def __getitem__(self, name: str) -> Items:
        if name != _NAME:
            raise KeyError(name)
        if isinstance(self._container, _MAPPINGS):
            return Items(tuple(x for pair in self._container.items() for x in pair))
        return Items(tuple(self._container))

    def __setitem__(self, name: str, value: Items) -> None:
        self._container.clear()
        if isinstance(self._container, _MAPPINGS):
            self._container.update(zip(value.every[::2], value.every[1::2], strict=True))
        elif isinstance(self._container, set):
            self._container.update(value.every)
        else:
            self._container.extend(value.every)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a container has always something in it, if nothing at all")

    def __iter__(self) -> Iterator[str]:
        return iter((_NAME,))

    def __len__(self) -> int:
        return 1


def contents_of(values: Iterable[Any]) -> tuple[Binding, ...]:
    """What each container has in it now: of those that are among the values, that a module or an
    object of the snippet's own classes among them holds, and that are within another."""
    found: dict[int, Any] = {}
    waiting = [x for value in values for x in (value, *_inside(value))]
    while waiting and len(found) < _MOST:
        value = waiting.pop(0)
        if type(value) not in _KINDS or id(value) in found or len(value) > _LONGEST:
            continue
        found[id(value)] = value
        inner = value.values() if isinstance(value, _MAPPINGS) else value
        waiting += [x for x in inner if type(x) in _KINDS]
    return tuple(map(content_of, found.values()))


def content_of(container: Any) -> Binding:
    """What one container has in it now."""
    space = Content(container)
    return space, _NAME, space[_NAME]


def _inside(value: Any) -> Iterator[Any]:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.nn.Module):
        torchs = vars(torch.nn.Module())
        for module in value.modules():
            yield from (x for name, x in vars(module).items() if name not in torchs)
    elif type(value).__module__ == "__main__" and hasattr(value, "__dict__"):
        yield from vars(value).values()
