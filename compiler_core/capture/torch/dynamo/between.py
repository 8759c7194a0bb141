"""What Python itself runs between the graphs: the instructions of a function that Dynamo left."""

import dis
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType

from compiler_core.report import GraphBreak, PythonSegment
from compiler_core.snippet.source import is_own, line_text


@dataclass
class Between:
    """Listens to Dynamo. `after` is the graph that was captured last."""

    after: str | None = None
    # (graph before, file, line), in the order in which they were met.
    met: dict[tuple[str | None, str, int], None] = field(default_factory=dict)

    def heard(self, old: CodeType, new: CodeType) -> CodeType | None:
        if is_own(old.co_filename):
            lines = {line for line in surviving(new) if line != old.co_firstlineno}
            self.met.update({(self.after, old.co_filename, n): None for n in sorted(lines)})
        return None

    def segments(self, breaks: Sequence[GraphBreak]) -> tuple[PythonSegment, ...]:
        reasons = {b.line: b.reason for b in reversed(breaks)}
        return tuple(_segments(list(self.met), reasons))


def surviving(code: CodeType) -> Iterator[int]:
    """Lines of the instructions that are still the user's: Dynamo's own have no columns."""
    for instruction in dis.get_instructions(code):
        positions = instruction.positions
        if positions is not None and positions.col_offset is not None and positions.lineno:
            yield positions.lineno


def _segments(
    met: Sequence[tuple[str | None, str, int]], reasons: Mapping[int | None, str]
) -> Iterator[PythonSegment]:
    """Neighbouring lines between the same graphs are one."""
    start = 0
    for index, (after, file, line) in enumerate(met):
        following = met[index + 1] if index + 1 < len(met) else None
        if following == (after, file, line + 1):
            continue
        lines = range(met[start][2], line + 1)
        text = "\n".join(line_text(file, n) for n in lines)
        reason = next((reasons[n] for n in lines if n in reasons), "")
        yield PythonSegment(after, lines[0], line, text, reason)
        start = index + 1
