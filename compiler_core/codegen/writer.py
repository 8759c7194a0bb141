"""Text with a line map: every generated line has the ids of the captured operations that it comes
from."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from compiler_core.report import Language


@dataclass(frozen=True)
class Source:
    """A generated text; `nodes[i]` are the origins of line i (0-based)."""

    name: str
    language: Language
    text: str
    nodes: tuple[tuple[int, ...], ...]


class Writer:
    """Collects indented lines."""

    def __init__(self, unit: str = "    ") -> None:
        self._unit, self._depth = unit, 0
        self._lines: list[str] = []
        self._nodes: list[tuple[int, ...]] = []

    def line(self, text: str = "", origins: Iterable[int] = ()) -> None:
        """Writes one line at the current indentation. `text` contains no newline."""
        self._lines.append(self._unit * self._depth + text if text else "")
        self._nodes.append(tuple(sorted(set(origins))))

    def lines(self, *texts: str) -> None:
        """Writes lines that come from no captured operation."""
        for text in texts:
            self.line(text)

    @contextmanager
    def indent(self) -> Iterator[None]:
        """Within the context, lines are indented by four more spaces."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def source(self, name: str, language: Language) -> Source:
        """The text written so far, with its line map."""
        return Source(name, language, "\n".join(self._lines) + "\n", (*self._nodes, ()))
