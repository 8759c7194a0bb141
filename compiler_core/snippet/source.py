"""The text of a snippet, compiled under a file name of its own, so that tracebacks, the frameworks'
stack records and `inspect` find its lines, and its frames can be told from all others."""

import ast
import contextlib
import io
import linecache
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from types import CodeType, FrameType
from typing import NamedTuple

from compiler_core.errors import SnippetError
from compiler_core.snippet.copied import as_python
from compiler_core.snippet.notebook import without_commands

FILE = "<snippet>"

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Place(NamedTuple):
    """Where an expression stands: line and column, both counted from 1, and the column behind its
    last sign, None where that is on another line or nothing says it."""

    line: int
    column: int
    end: int | None = None


_INPUTS = re.compile(r"#\s*inputs?\s*:\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """The text and its syntax tree; `commands` are the lines, from 1, of a notebook's commands that
    the text is without."""

    text: str
    tree: ast.Module
    commands: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Source":
        """The source of a text. Raises SnippetError for text that is not Python."""
        # A mark that some editors put before a file's text, which Python reads over as well.
        text = text.removeprefix("\ufeff")
        if not text.strip():
            raise SnippetError(
                "the snippet is empty", remedy="paste a PyTorch or JAX function and its inputs"
            )
        if "\0" in text:
            raise SnippetError(
                "the snippet holds a null byte", remedy="paste Python source, not a binary file"
            )
        try:
            return cls._parsed(text)
        except SyntaxError as error:
            raise _syntax_error(error) from None
        except (RecursionError, MemoryError):
            raise SnippetError(
                "the snippet is nested too deeply to parse", remedy="split the long expression"
            ) from None

    @classmethod
    def _parsed(cls, text: str) -> "Source":
        try:
            return cls(text, ast.parse(text, FILE))
        except SyntaxError as error:
            copied = as_python(text, FILE)
            if copied is not None:
                return cls(*copied)
            python, commands = without_commands(text, error)
            if not commands:
                raise
            return cls(python, ast.parse(python, FILE), commands)

    def compile(self) -> CodeType:
        """The code object. Also registers the lines for `traceback` and `inspect`. Raises
        SnippetError for what Python finds wrong only when it compiles."""
        # No modification time: linecache then never asks the disk for the file.
        linecache.cache[FILE] = (
            len(self.text), None, self.text.splitlines(keepends=True), FILE,
        )  # fmt: skip
        try:
            return compile(self.tree, FILE, "exec", dont_inherit=True)
        except SyntaxError as error:
            raise _syntax_error(error) from None
        except (RecursionError, MemoryError):
            raise SnippetError(
                "the snippet is nested too deeply to compile", remedy="split the long expression"
            ) from None

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The functions and classes at the top level, in order."""
        return tuple(n for n in self.tree.body if isinstance(n, Definition))

    @cached_property
    def bindings(self) -> dict[str, int]:
        """For each name of the top level, the line of its last binding."""
        lines: dict[str, int] = {}
        for node in _statements(self.tree.body):
            if isinstance(node, Definition):
                lines[node.name] = node.lineno
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                lines.update((t.id, node.lineno) for t in targets if isinstance(t, ast.Name))
        return lines

    @cached_property
    def def_lines(self) -> dict[int, int]:
        """The line of `def` or `class` for each line of its first decorator."""
        return {
            node.decorator_list[0].lineno: node.lineno
            for node in ast.walk(self.tree)
            if isinstance(node, Definition) and node.decorator_list
        }

    @cached_property
    def input_comments(self) -> tuple[tuple[int, str], ...]:
        """Line and text of each `# inputs: f32[32,512], f32[512]`."""
        found = []
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT and (match := _INPUTS.fullmatch(token.string)):
                found.append((token.start[0], match[1].strip()))
        return tuple(found)


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Statements of the module, those in `if`, `with`, `try` and loops included."""
    for node in body:
        yield node
        if not isinstance(node, Definition):
            inner = (getattr(node, f, ()) for f in ("body", "orelse", "handlers", "finalbody"))
            yield from _statements(chain.from_iterable(i for i in inner if isinstance(i, list)))


def _syntax_error(error: SyntaxError) -> SnippetError:
    text = (error.text or "").rstrip("\n")
    shown = f'  File "{FILE}", line {error.lineno}\n    {text}' if text else ""
    if text and error.offset:
        shown += f"\n    {' ' * (error.offset - 1)}^"
    return SnippetError(
        f"the snippet is not valid Python: {error.msg}",
        line=error.lineno,
        remedy="correct the syntax of this line or of the one before it",
        traceback=shown,
    )


# The files whose lines count as the snippet's: more than FILE if a program comes from Python.
_own = {FILE}


@contextlib.contextmanager
def also_own(file: str) -> Iterator[None]:
    """Context in which the lines of `file` count as the snippet's."""
    added = {file} - _own
    _own.update(added)
    try:
        yield
    finally:
        _own.difference_update(added)


def is_own(file: str) -> bool:
    """Whether the lines of `file` are the snippet's."""
    return file in _own


def line_text(file: str, line: int) -> str:
    """The text of line `line` of a file, without its line break."""
    return linecache.getline(file, line).rstrip("\n")


def place(depth: int = 1) -> Place | None:
    """Line and column of the innermost frame of the snippet on the present stack; None if there is
    none."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return place_in(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None


def place_in(code: CodeType, lasti: int) -> Place:
    """Line and column of the instruction at offset `lasti` of `code`."""
    line, column, end = position(code, lasti)
    at = Place(line or code.co_firstlineno, 1 if column is None else column + 1)
    return at if end is None else at._replace(end=end + 1)


_Position = tuple[int | None, int | None, int | None]


def position(code: CodeType, lasti: int) -> _Position:
    """Line and columns of the instruction at offset `lasti` of `code`, from the first to behind the
    last, from 0; None for what the instruction does not have on that line."""
    positions = _positions(_Code(code.co_linetable, code.co_firstlineno, code))
    return positions[lasti // 2] if lasti // 2 < len(positions) else (None, None, None)


@dataclass(frozen=True)
class _Code:
    """A code object, equal to others whose instructions have the same positions. The object itself
    may have no hash: TorchDynamo puts dicts among the constants of functions that it writes."""

    line_table: bytes
    first_line: int
    code: CodeType = field(compare=False)


@lru_cache(maxsize=512)
def _positions(of: _Code) -> tuple[_Position, ...]:
    return tuple(
        (line, column, end if line == last else None)
        for line, last, column, end in of.code.co_positions()
    )


def line_of(error: BaseException) -> int | None:
    """The innermost line of the snippet in an exception's traceback."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if is_own(trace.tb_frame.f_code.co_filename):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
