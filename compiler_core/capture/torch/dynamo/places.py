"""Where an operation of an FX graph comes from, in the snippet."""

import ast
import re
from contextlib import suppress
from functools import lru_cache

from compiler_core.snippet.source import Place, is_own, line_text

# A frame's line in a stack; torch strips the spaces before the first one.
_FRAME = re.compile(r'\s*File "(.*)", line (\d+), in ')
# The text of a line is shown without its own indentation, after four spaces.
_INDENT = 4


@lru_cache(maxsize=4096)
def place_of(stack_trace: str | None) -> Place | None:
    """The innermost frame of the snippet in a formatted stack: line and column, from 1."""
    lines = (stack_trace or "").splitlines()
    found = None
    for number, line in enumerate(lines):
        frame = _FRAME.match(line)
        if frame is not None and is_own(frame[1]):
            found = number, frame
    if found is None:
        return None
    number, frame = found
    at = int(frame[2])
    marks = lines[number + 2] if number + 2 < len(lines) else ""
    return _at(int(frame[2]), marks, line_text(frame[1], at))


def _at(line: int, marks: str, text: str) -> Place:
    """From the carets under a line; without them all of the line is meant, or all but its left
    side."""
    indent = len(text) - len(text.lstrip())
    bare = marks.lstrip()
    if not bare or bare.strip("~^"):
        return Place(line, indent + _left_side(text.strip()) + 1)
    column = len(marks) - len(bare) - _INDENT + indent + 1
    return Place(line, column, column + len(bare.rstrip()))


def _left_side(statement: str) -> int:
    """How far a call is from the beginning where it is all that is assigned or returned: Python
    3.13 has no carets under such a one."""
    with suppress(SyntaxError):
        match ast.parse(statement).body:
            case [ast.Assign(targets=[ast.Name()], value=ast.Call(col_offset=at))]:
                return at
            case [ast.Return(value=ast.Call(func=ast.Name(), col_offset=at))]:
                return at
    return 0
