"""The operation that each line of a generated kernel computes: that for which TorchInductor named
the line's value.

tmp2 = tmp0 + tmp1                                    Triton
auto tmp2 = tmp0 + tmp1;                              C++
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from compiler_core.reference.origins import Origin

_NAMED = re.compile(r"\b(?P<name>\w+) = (?P<text>.*?);?$")
_VALUE = re.compile(r"\btmp\w*\b")
# The accumulator of a C++ reduction; further names begin with its own: tmp_acc0, tmp_acc0_vec,
# tmp_acc0_arr.
_ADDED_UP = re.compile(r"tmp_acc\d+")


@dataclass
class Values:
    """The origins of a kernel's values: by the expression that a name stands for, since C++ reuses
    names in each loop nest, and by name alone."""

    _lines: dict[str, set[Origin]] = field(default_factory=lambda: defaultdict(set))
    _names: dict[str, set[Origin]] = field(default_factory=lambda: defaultdict(set))

    def add(self, name: str, text: str, origin: Origin) -> None:
        """Adds a value; `text` is the expression that its name stands for, "" if that has several
        lines."""
        self._names[name].add(origin)
        if text:
            self._lines[f"{name} = {text}"].add(origin)

    def update(self, other: "Values") -> None:
        """Adds the values of another kernel with the same text."""
        for own, more in ((self._lines, other._lines), (self._names, other._names)):
            for key, origins in more.items():
                own[key] |= origins

    def of(self, lines: Iterable[str]) -> Iterator[set[Origin]]:
        """The origins of each line of the kernel, in order. A line that names no value of its own
        has those of the values in it; one without any has none."""
        latest: dict[str, set[Origin]] = {}
        for line in lines:
            named = _NAMED.search(line)
            found = self._named(named["name"], named[0].rstrip(";")) if named else set()
            if not found:
                names = _VALUE.findall(line)
                found = {at for x in names for at in latest.get(x, self._names.get(x, set()))}
            if named and found:
                latest[named["name"]] = found
            yield found

    def _named(self, name: str, line: str) -> set[Origin]:
        """The origins of a line that gives a value its name."""
        added_up = _ADDED_UP.match(name)
        return self._names.get(added_up[0], set()) if added_up else self._lines.get(line, set())
