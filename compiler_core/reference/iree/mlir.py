"""A module's text as IREE prints it, with the captured operations of each line.

Each operation ends in its location, of which only `loc("ops:3,4")` is of ours
(compiler_core/reference/xla/stablehlo.py): by a name explained on a line of its own, or in place,

    %3 = linalg.generic {...} -> tensor<8xf32> loc(#loc11)
    #loc11 = loc(fused[#loc2, callsite("ops:3,4" at #loc9)])
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from compiler_core import report
from compiler_core.reference.result import artifact

_OPEN = " loc("
_REFERENCE = re.compile(r"#loc\d*")
_OURS = re.compile(r'"ops:([\d,]+)"')
# Hundreds of words for each processor that a kernel is compiled for.
_FEATURES = re.compile(r'cpu_features = "[^"]*"')


@dataclass(frozen=True)
class Text:
    """The lines without locations, and the ids of the captured operations of each."""

    lines: tuple[str, ...]
    nodes: tuple[list[int], ...]

    def artifact(self, name: str) -> report.Artifact:
        """The text as an artifact of the report."""
        return artifact(name, "mlir", "".join(f"{line}\n" for line in self.lines), self.nodes)


def read(text: str) -> Text:
    """The module with its locations read and removed."""
    known, kept = {}, []
    for line in text.splitlines():
        if line.startswith("#loc"):
            name, _, location = line.partition(" = ")
            known[name] = location
        else:
            kept.append(_split(_FEATURES.sub('cpu_features = "..."', line)))
    ids = _reader(known)
    return Text(tuple(line for line, _ in kept), tuple(list(ids(place)) for _, place in kept))


def _split(line: str) -> tuple[str, str]:
    """A line without its locations, and the last of these, which is the operation's own; those
    before are of a block's arguments."""
    rest, last = line, ""
    while (start := rest.find(_OPEN)) >= 0:
        end = _closing(rest, start + len(_OPEN))
        last = rest[start + 1 : end]
        rest = rest[:start] + rest[end:]
    return rest.rstrip(), last if line.endswith(last) else ""


def _closing(line: str, at: int) -> int:
    """Where the parenthesis closes that was opened before `at`; the end of the line where none
    does."""
    depth, quoted = 1, False
    for place in range(at, len(line)):
        letter = line[place]
        if letter == '"' and line[place - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place + 1
    return len(line)


def _reader(known: dict[str, str]) -> Callable[[str], tuple[int, ...]]:
    being_read: set[str] = set()

    @cache
    def ids(location: str) -> tuple[int, ...]:
        """Of a call's site, what is called comes first: the call itself where that says nothing."""
        inner = location.removeprefix("loc(")
        if inner.startswith("callsite(") and " at " in inner:
            callee, _, caller = inner.partition(" at ")
            return ids(callee.removeprefix("callsite(")) or ids(caller)
        own = {int(i) for found in _OURS.findall(location) for i in found.split(",") if i}
        return tuple(sorted(own.union(*map(named, _REFERENCE.findall(location)))))

    def named(name: str) -> tuple[int, ...]:
        """None of a name that is explained by itself."""
        if name in being_read:
            return ()
        being_read.add(name)
        try:
            return ids(known.get(name, ""))
        finally:
            being_read.discard(name)

    return ids
