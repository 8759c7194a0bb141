"""The Python that runs between graphs: lines whose instructions Dynamo leaves in a function."""

import dis
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType

from msgspec.structs import replace

from compiler_core.capture.torch.dynamo.functions import end_of_function, innermost
from compiler_core.capture.torch.dynamo.handed import Handed
from compiler_core.capture.torch.dynamo.pieces import Piece
from compiler_core.capture.torch.dynamo.skips import Skipped
from compiler_core.report import GraphBreak, PythonSegment
from compiler_core.snippet.source import is_own, line_text, position


@dataclass
class Between:
    """Collects these lines while Dynamo compiles and the graphs run for the first time. `after` is
    the graph captured last, or the backward graph that has run since."""

    after: Piece | None = None
    # (graph before, file, line), in the order in which they were met.
    met: dict[tuple[Piece | None, str, int], None] = field(default_factory=dict)
    # The graphs that have run, in that order.
    ran: dict[Piece, None] = field(default_factory=dict)
    handed: Handed = field(default_factory=Handed)

    def meet(self, piece: Piece) -> None:
        """Records a graph that has been captured and has not run. A backward graph is captured with
        its forward graph, and runs when Python asks for it."""
        if piece.role != "backward":
            self.after = piece
        run = piece.run

        def first(args: list[object]) -> list[object]:
            piece.run = run
            self._run(piece)
            # What a backward graph takes was kept for it: no break has it wait in memory.
            if piece.role != "backward":
                self.handed.take(args)
            results = run(args)
            self.handed.give(piece, results)
            return results

        piece.run = first

    def _run(self, piece: Piece) -> None:
        self.ran[piece] = None
        if piece.role == "backward":
            self.after = piece
            for file, line in _own_places(sys._getframe()):
                self._reassign_rest(piece, file, line)

    def _reassign_rest(self, piece: Piece, file: str, line: int) -> None:
        """Lines below the one that runs the backward pass come after it, although Dynamo reads
        them before it runs."""
        rest = range(line + 1, end_of_function(file, line) + 1)
        self.met = {
            (piece if f == file and n in rest else after, f, n): None for after, f, n in self.met
        }

    def in_order(self, pieces: Iterable[Piece]) -> list[Piece]:
        """The graphs as they run; those that have not run come last."""
        return list(dict.fromkeys((*self.ran, *pieces)))

    def record(self, old: CodeType, new: CodeType) -> CodeType | None:
        """Dynamo's bytecode hook: records the snippet's lines that stay in Python."""
        if is_own(old.co_filename):
            lines = {line for line in surviving(new) if line != old.co_firstlineno}
            self.met.update({(self.after, old.co_filename, n): None for n in sorted(lines)})
        return None

    def segments(
        self,
        breaks: Sequence[GraphBreak],
        skipped: Sequence[Skipped],
        file: str,
        ids: Mapping[Piece, str],
    ) -> tuple[PythonSegment, ...]:
        """The lines as segments, in the order in which they run; the functions of `skipped` whole.
        `file` is the snippet's, `ids` are those of the graphs."""
        reasons = {b.line: b.reason for b in reversed(breaks)}
        met = [(None if a is None else ids[a], f, line) for a, f, line in self.met]
        found = list(_segments(met, reasons))
        known = {line for _, _, line in self.met}
        for one in skipped:
            lines = [n for n in range(one.first, one.last + 1) if n not in known]
            known.update(lines)
            if lines:
                _insert(found, _segment(one.file, lines[0], one.last, one.at.reason), lines[0])
        for each in breaks:
            if each.line is not None and each.line not in known:
                left = _left_alone(each, each.line, file)
                known.update(range(each.line, (left.last_line or each.line) + 1))
                _insert(found, left, each.line)
        return tuple(_with_bytes(found, {ids[piece]: n for piece, n in self.handed.bytes.items()}))


def _own_places(frame: FrameType | None) -> Iterator[tuple[str, int]]:
    """File and line of the snippet's frames on a stack, innermost first, but for those that stand
    at an instruction of Dynamo's: the rest of a function, after a break, is called by its begin."""
    while frame is not None:
        code = frame.f_code
        if is_own(code.co_filename):
            line, column, _ = position(code, frame.f_lasti)
            if line is not None and column is not None:
                yield code.co_filename, line
        frame = frame.f_back


def _left_alone(at: GraphBreak, line: int, file: str) -> PythonSegment:
    """Where Dynamo leaves a function and compiles nothing of the rest, it leaves no bytecode of its
    own to listen to: Python runs everything from there to the function's end."""
    return _segment(file, line, end_of_function(file, line), at.reason)


def _with_bytes(
    segments: Iterable[PythonSegment], handed: dict[str, int]
) -> Iterator[PythonSegment]:
    """The segments, of those behind each graph the first with what the graph hands on."""
    for segment in segments:
        yield replace(segment, bytes=handed.pop(segment.after or "", None))


def _segment(file: str, first: int, last: int, reason: str) -> PythonSegment:
    text = "\n".join(line_text(file, n) for n in range(first, last + 1))
    return PythonSegment(None, first, last, text, reason)


_AROUND = "the snippet runs this itself: the backward pass begins with the gradient that it brings"


def lines_between(file: str, called: int | None, line: int, after: str) -> PythonSegment:
    """The lines from a call that is compiled to `line`, which runs the backward pass; that line
    alone where the call is in another function."""
    together = called is not None and innermost(file, called) == innermost(file, line)
    first = min(called or line, line) if together else line
    return replace(_segment(file, first, line, _AROUND), after=after)


def _insert(found: list[PythonSegment], left: PythonSegment, line: int) -> None:
    """Behind the last segment that is above it in the snippet."""
    above = [i for i, s in enumerate(found) if s.first_line is not None and s.first_line < line]
    after = found[above[-1]].after if above else None
    found.insert(above[-1] + 1 if above else 0, replace(left, after=after))


def surviving(code: CodeType) -> Iterator[int]:
    """The lines of the user's own instructions in bytecode that Dynamo has rewritten: instructions
    that Dynamo adds have no columns."""
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
