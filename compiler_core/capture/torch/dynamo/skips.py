"""Functions that Dynamo gives up: where no graph can end at a break, the whole function is left to
Python, and only the functions that it calls are still compiled."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core.capture.torch.dynamo.breaks import DECISION, Explained, explained
from compiler_core.capture.torch.dynamo.functions import Function, functions, innermost
from compiler_core.report import GraphBreak
from compiler_core.snippet.source import is_own

# Statements in which Dynamo cannot resume after a break, with the words for each; the innermost one
# around the break is the reason.
_AROUND: dict[type[ast.AST], str] = {
    ast.For: "loop", ast.While: "loop", ast.Try: "try", ast.With: "with",
}  # fmt: skip


@dataclass(frozen=True)
class Skipped:
    """Lines `first` to `last` of the snippet `file`, 1-based and inclusive, which Python runs
    because of `at`."""

    file: str
    first: int
    last: int
    at: GraphBreak


def skipped(frames: Sequence[Any]) -> list[Skipped]:
    """The functions of the snippet among `frames` (see private.skipped_frames), in order, each
    once."""
    found = (one for f in frames if is_own(f.co_filename) for one in _skipped(f))
    return list(dict.fromkeys(found))


def _skipped(frame: Any) -> Iterator[Skipped]:
    file, begin = str(frame.co_filename), int(frame.co_firstlineno)
    # A function's code begins at its first decorator.
    whole = next((f for f in functions(file) if begin in (f.lineno, _begin(f))), None)
    function = whole or innermost(file, begin)
    if function is None:
        return
    # What Dynamo calls a function of its own is the rest of one, after a break at `begin`.
    first = function.body[0].lineno if whole else begin + 1
    part = "all" if whole else "the rest"
    line = frame.fail_user_frame_lineno if is_own(frame.fail_user_frame_filename or "") else None
    said = explained(frame.fail_reason or "")
    at = GraphBreak(_reason(said, part, function, line), line, said.remedy)
    yield Skipped(file, first, function.end_lineno or first, at)


def _begin(function: Function) -> int:
    return min([function.lineno, *(d.lineno for d in function.decorator_list)])


def _reason(said: Explained, part: str, function: Function, line: int | None) -> str:
    """Which break it is, why it ends no graph, and what to do about it."""
    why = said.why.rstrip(".")
    if line and not function.lineno <= line <= (function.end_lineno or line):
        where = f", in what {function.name} calls within a loop, a try or a with"
        remedy = "move the call out of it"
    else:
        kind = _around(function, line)
        where = f", within a {kind}" if kind else ""
        remedy = f"move it out of the {kind or 'function'}"
    if why == DECISION:
        remedy += ", or write it with torch.cond or torch.where"
    return f"{why}{where}: TorchDynamo leaves {part} of {function.name} to Python; {remedy}"


def _around(function: Function, line: int | None) -> str:
    """The innermost statement of `function` around `line` that Dynamo cannot resume in."""
    blocks = [n for n in ast.walk(function) if isinstance(n, ast.stmt) and type(n) in _AROUND]
    around = [n for n in blocks if line and n.lineno <= line <= (n.end_lineno or n.lineno)]
    nearest = max(around, key=lambda n: n.lineno, default=None)
    return "" if nearest is None else _AROUND[type(nearest)]
