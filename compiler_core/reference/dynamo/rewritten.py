"""A function as Dynamo rewrote it: the graphs that it runs, the user's instructions that remain in
Python, and where it continues."""

import dis
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any, Literal

from compiler_core.snippet.source import line_text

_GRAPH = re.compile(r"__compiled_fn_\d+")
_REST = re.compile(r"__resume_at_\d+_\d+")
# Dynamo names graphs by a number and a random suffix.
_SUFFIX = re.compile(r"(__compiled_fn_\d+)_[0-9a-f]{8}(?:_[0-9a-f]+){4}")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_RESUMED = re.compile(r"torch_dynamo_resume_in_(.+)_at_(\d+)")


@dataclass(frozen=True)
class Step:
    """One step of the function: it runs its graph, Python runs `text` of a line, or the rest of the
    function is called, which is compiled when it is reached."""

    kind: Literal["graph", "python", "rest"]
    line: int | None = None
    text: str = ""


def steps(code: CodeType) -> list[Step]:
    """The steps in the order of the bytecode; the two sides of a branch follow one another."""
    found: list[Step] = []
    for instruction in dis.get_instructions(code):
        step = _step(instruction, code.co_filename)
        if step is None:
            continue
        last = found[-1] if found else None
        if last is not None and last.kind == step.kind == "python" and last.line == step.line:
            # The instructions of one line, of which the longest text has the others in it.
            found[-1] = max(last, step, key=lambda s: len(s.text))
        else:
            found.append(step)
    return found


def _step(instruction: Any, file: str) -> Step | None:
    name = instruction.argval if isinstance(instruction.argval, str) else ""
    if _GRAPH.match(name):
        return Step("graph")
    if _REST.match(name):
        return Step("rest")
    at = instruction.positions
    if at is None or at.col_offset is None or not at.lineno:
        return None
    text = _segment(file, at)
    # The instruction that a function begins with stands for no text.
    return Step("python", at.lineno, text) if text else None


def _segment(file: str, at: Any) -> str:
    """The text of an instruction; its first line alone where it has several."""
    line = line_text(file, at.lineno).encode()
    if at.end_lineno == at.lineno:
        return line[at.col_offset : at.end_col_offset].decode(errors="replace").strip()
    return line[at.col_offset :].decode(errors="replace").strip() + " ..."


def title(name: str) -> str:
    """A function's name for people: Dynamo names the rest of a function
    torch_dynamo_resume_in_f_at_7."""
    resumed = _RESUMED.fullmatch(name)
    if resumed is None:
        return name
    inner = _RESUMED.fullmatch(resumed[1])
    return f"the rest of {inner[1] if inner else resumed[1]} from line {resumed[2]}"


def is_rest(name: str) -> bool:
    """Whether a function is the rest of another one after a graph break."""
    return _RESUMED.fullmatch(name) is not None


def disassembly(code: CodeType) -> tuple[str, list[int | None]]:
    """The bytecode as text, without whatever differs from run to run, and for each line of it the
    line of the source."""
    text = io.StringIO()
    dis.dis(code, file=text, depth=0)
    readable = _ADDRESS.sub("", _SUFFIX.sub(r"\1", text.getvalue()))
    return readable, list(_lines(readable))


def _lines(text: str) -> Iterator[int | None]:
    line = None
    for each in text.splitlines():
        head = each.split(maxsplit=1)[:1]
        starts = bool(head) and head[0].isdigit() and len(each) - len(each.lstrip()) < 5
        line = int(head[0]) if starts else line
        yield line
