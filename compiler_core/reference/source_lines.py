"""From a place in the snippet, in the form that other compilers give it, to the captured operations
there."""

from dataclasses import dataclass
from functools import cached_property

from compiler_core.report import CapturedOp


@dataclass(frozen=True)
class SourceLines:
    """The captured operations of a program by their places in the snippet."""

    nodes: tuple[CapturedOp, ...]

    @cached_property
    def _by_line(self) -> dict[int, list[CapturedOp]]:
        found: dict[int, list[CapturedOp]] = {}
        for node in self.nodes:
            if node.line is not None:
                found.setdefault(node.line, []).append(node)
        return found

    def at(self, line: int | None, column: int | None = None) -> list[int]:
        """The ids of the operations on a line (from 1); only those at the column (from 0; a
        captured operation's column is from 1) if there are any. Empty on a line without
        operations."""
        here = self._by_line.get(line, []) if line is not None else []
        exact = [node for node in here if column is not None and node.column == column + 1]
        return [node.id for node in exact or here]
