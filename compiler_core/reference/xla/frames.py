"""The stacks that HLO's instructions come from: tables at the head of a module's text.

    FileLocations
    3 {file_name_id=1 function_name_id=2 line=3 end_line=3 column=8 end_column=26}

    StackFrames
    3 {file_location_id=3 parent_frame_id=2}

Lines count from 1, columns from 0. jaxlib 0.10 prints a parent's number plus one, so that a
stack's outermost frame, which has no parent, prints its own: the first frame of the table tells.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_SECTION = re.compile(r"(FileNames|FunctionNames|FileLocations|StackFrames)$")
_ENTRY = re.compile(r"(\d+) (.*)$")
_FIELD = re.compile(r"(\w+)=(\d+)")


@dataclass(frozen=True)
class Frames:
    """File, line and column of each frame, and the frame that called it (0: none)."""

    places: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)

    def stack(self, frame: int | None) -> list[tuple[str, int, int]]:
        """The places of a frame and its callers, innermost first."""
        found = []
        while frame in self.places:
            found.append(self.places[frame])
            above = self.parents.get(frame, 0)
            frame = above if above < frame else None  # a caller stands before what it calls
        return found


def frames_of(head: Iterable[str]) -> Frames:
    """Parses the tables; lines in any other form are skipped."""
    tables: dict[str, dict[int, str]] = {}
    section: dict[int, str] = {}
    for line in head:
        if named := _SECTION.match(line):
            section = tables.setdefault(named[1], {})
        elif entry := _ENTRY.match(line):
            section[int(entry[1])] = entry[2]
    return _joined(tables)


def _joined(tables: dict[str, dict[int, str]]) -> Frames:
    files = {n: text.strip('"') for n, text in tables.get("FileNames", {}).items()}
    locations = {n: _fields(text) for n, text in tables.get("FileLocations", {}).items()}
    frames = {n: _fields(text) for n, text in tables.get("StackFrames", {}).items()}
    shift = frames.get(1, {}).get("parent_frame_id", 0)
    places, parents = {}, {}
    for number, frame in frames.items():
        at = locations.get(frame.get("file_location_id", 0))
        if at is not None:
            file = files.get(at.get("file_name_id", 0), "")
            places[number] = (file, at.get("line", 0), at.get("column", 0))
            parents[number] = frame.get("parent_frame_id", 0) - shift
    return Frames(places, parents)


def _fields(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in _FIELD.findall(text)}
