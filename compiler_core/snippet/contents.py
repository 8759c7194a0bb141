"""The contents of the lists, dicts and sets that a torch program reaches. It may append to them,
and TorchDynamo recompiles where one has become longer.

The contents of a container are a Binding, as are a module's numbers (circumstances.py), so that
they are recorded, compared and restored in the same way.
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
# The longest container that is recorded, since nobody appends to a vocabulary or a data set in each
# call; and the most containers of those nested in each other.
_LONGEST = 10_000
_MOST = 100


@dataclass(frozen=True, eq=False)
class Items(ByValue):
    """The contents of a container; for a mapping, keys and values in turn. They are equal if they
    are the same objects, since tensors have no equality that is a bool."""

    every: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Items) or len(self.every) != len(other.every):
            return False
        return all(map(is_, self.every, other.every))

    __hash__ = None  # type: ignore[assignment]

    @property
    def guarded(self) -> tuple[Any, ...]:
        """What guards can see of the contents: their number, and the numbers and strings among
        them."""
        plain = (x if isinstance(x, PLAIN) else type(x).__name__ for x in self.every)
        return len(self.every), *plain


class Content(MutableMapping[str, Any]):
    """A container as a namespace whose only entry is its Items."""

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
    """The current contents of the containers among the values, of those that modules or objects of
    the snippet's own classes among them hold, and of those nested in these."""
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
    """The current contents of one container."""
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
