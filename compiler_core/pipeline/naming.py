"""The names of a graph's values in overrides, and the values in fusion that they stand for."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cached_property

from compiler_core.fuse.alone import Alone
from compiler_core.ir.graph import Value
from compiler_core.ir.naming import value_names
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.pipeline.computed import named

_ID, _NODE = re.compile(r"%(\d{1,9})"), re.compile(r"\d{1,9}")
# The most similar names that a message lists.
_MOST_SIMILAR = 8


class Names:
    """The values of a graph and of its regions after fusion, by name."""

    def __init__(self, alone: Alone) -> None:
        self._alone = alone

    def find(self, name: str) -> frozenset[Value]:
        """The values that `name` stands for; empty if this graph has none of that name."""
        if found := _ID.fullmatch(name):
            return frozenset(filter(None, [self._by_id.get(int(found[1]))]))
        if _NODE.fullmatch(name):
            return frozenset(v for v in self.by_name.values() if int(name) in v.origins)
        return frozenset(filter(None, [self.by_name.get(name)]))

    def computed(self, name: str) -> frozenset[Value]:
        """The values that kernels and library calls compute for `name`: a view stands for its base,
        and arguments and constants are left out."""
        shown = ((self._view[v], v) for v in self.find(name) if v in self._view)
        bases = ((view, view.base(v)) for view, v in shown)
        return frozenset(v for view, v in bases if view.is_fusible(v) or view.is_opaque(v))

    def reads(self, value: Value) -> tuple[Value, ...]:
        """The values that an operation reads, looking through views."""
        return self._view[value].reads.get(value, ())

    def called(self, value: Value) -> str:
        """The name of a value that fusion sees."""
        return self._of_value.get(value, str(value))

    def like(self, name: str) -> str:
        """Similar names that may have been meant, as text."""
        node, _, _ = name.partition(".")
        same = [n for n in self.by_name if n.partition(".")[0] == node]
        near = get_close_matches(name, self.by_name, _MOST_SIMILAR, 0.4)
        similar = (same or near or list(self.by_name))[:_MOST_SIMILAR]
        return ", ".join(similar)

    @cached_property
    def by_name(self) -> dict[str, Value]:
        """All values by name."""
        own = value_names(self._alone.values.region)
        return {name: self._by_id[v.id] for name, v in own.items() if v.id in self._by_id}

    @cached_property
    def _of_value(self) -> dict[Value, str]:
        return {value: name for name, value in self.by_name.items()}

    @cached_property
    def _view(self) -> dict[Value, FusionView]:
        every = _each(self._alone)
        return {value: x.values for x in every for value in x.values.graph.values}

    @cached_property
    def _by_id(self) -> dict[int, Value]:
        """By the ids of the IR after the passes."""
        return {
            names[value.id]: value
            for each in _each(self._alone)
            for names in [named(each.values)]
            for value in each.values.graph.values
            if value.id in names
        }


def _each(alone: Alone) -> Iterator[Alone]:
    yield alone
    for inner in alone.regions.values():
        yield from _each(inner)
