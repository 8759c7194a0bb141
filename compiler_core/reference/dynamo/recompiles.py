"""Recompilations as a table, and as entries of the why-list."""

from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.dynamo import private
from compiler_core.reference.dynamo.breaks import DYNAMO
from compiler_core.reference.dynamo.failed_guard import Failed
from compiler_core.reference.dynamo.replay import Recompiled, Replay
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Column, Finding, Row, Table
from compiler_core.wording import counted, in_lines

_REMEDIES = {
    "size": "mark what varies with torch._dynamo.mark_dynamic before the first call, or give "
    "dynamic=True; pad or bucket sizes where the program needs their values",
    "length": "give containers with as many items in all calls, or one tensor that they are "
    "stacked in; append to a list outside of what is compiled; or compile a function for each "
    "length",
    "tensor": "give tensors that are alike in type, layout and requires_grad: convert or detach "
    "them before the call",
    "number": "pass what changes from call to call as a tensor",
    "global": "pass what changes from call to call as an argument, a number as a tensor",
    "choice": "nothing, where it has few values, each of which is compiled once; else compile a "
    "function for each",
    "type": "give a value of one type in all calls",
    "object": "give the same object in all calls: make a function, a lambda or a module once; or "
    "compile a function for each",
    "state": "make all calls under the same settings",
    "other": "make the calls alike in this, or compile a function for each",
}
_COLUMNS = [
    Column("call", about="The number of the snippet's call, from 1, of those that differ."),
    Column("function"),
    Column(
        "version",
        about="The compilation that the guard is of: among those before, the one with the fewest "
        "guards that fail.",
    ),
    Column("what changed", about="The first guard of that compilation that failed."),
    Column("old"),
    Column("new"),
    Column("guard's line", about="The snippet's line that the guard comes from."),
    Column("compilations", about="How many there are after this one."),
    Column("limit", about="After so many, Dynamo leaves the function to Python."),
    Column("compile time", "ms"),
]


def stage(replay: Replay, lines: SourceLines) -> report.Stage:
    """The stage of the calls for which a function was compiled again."""
    limit = _limit(replay)
    rows = [_row(each, replay, limit, lines) for each in replay.recompiled]
    return report.Stage(
        "recompiles", "ok", 0.0, summary=_summary(replay, limit),
        tables=[Table("recompiles", _COLUMNS, rows)] if rows else [],
    )  # fmt: skip


def _summary(replay: Replay, limit: int) -> str:
    """With what is no recompilation: functions left to Python, and calls not repeated here."""
    left = sum(each.compilations >= limit for each in replay.recompiled)
    more = len(replay.calling.subject.program.calls_left_out)
    notes = [
        counted(len(replay.calling.calls), "different call"),
        counted(len(replay.recompiled) - left, "recompilation"),
        *([f"{counted(left, 'function')} left to Python"] if left else []),
    ]
    shown = f"{', '.join(notes)}; the limit is {limit}"
    return shown + (f"; {counted(more, 'later call')} that differ are not repeated" * bool(more))


def _row(each: Recompiled, replay: Replay, limit: int, lines: SourceLines) -> Row:
    at, why = replay.calling.calls[each.call].line, each.failed
    every = (why, *why.others)
    what, old, new = (
        "; ".join(of) for of in zip(*((f.what, f.old, f.new) for f in every), strict=True)
    )
    cells: list[report.Cell] = [
        each.call + 1, each.function, each.version, what, old, new, why.line,
        min(each.compilations + 1, limit), limit, replay.times.get(each.id),
    ]  # fmt: skip
    return Row(cells, lines.at(why.line), at)


def _limit(replay: Replay) -> int:
    return int(replay.calling.options.get("recompile_limit") or private.recompile_limit())


def findings(replay: Replay, lines: SourceLines) -> Iterator[Finding]:
    """A finding for each recompilation; a size that changes twice gives two. It says if the
    function is no longer compiled after that call."""
    limit = _limit(replay)
    for each in replay.recompiled:
        at, over = replay.calling.calls[each.call].line, each.compilations >= limit
        why = [
            f"it is compilation {each.compilations + 1} of at most {limit}" if not over else
            f"Dynamo compiles it no more after {limit} compilations, and Python runs it"
        ]  # fmt: skip
        if each.failed.line is not None:
            why.append(f"the guard comes from line {each.failed.line}")
        if each.compilations > 1:
            why.append(f"of {each.compilations} versions, {each.version} is the nearest")
        yield Finding(
            "recompile", DYNAMO, _what(each, over), "; ".join(why), _remedy(each.failed),
            at, None, [at] if at else [], lines.at(each.failed.line),
            compile_ms=None if over else replay.times.get(each.id), raw=each.raw,
            category=each.failed.kind,
        )  # fmt: skip


def more(replay: Replay) -> Iterator[Finding]:
    """A finding for all calls that differ from those that were repeated."""
    left, kept = replay.calling.subject.program.calls_left_out, len(replay.calling.calls)
    if not left:
        return
    last = replay.recompiled[-1] if replay.recompiled else None
    remedy = _remedy(last.failed) if last else _REMEDIES["other"]
    at = replay.calling.calls[-1].line
    what = f"later calls differ too, {len(left)} of them{in_lines(left)}, and are not repeated here"
    why = f"of calls that differ, {kept} are: Dynamo compiles a function {_limit(replay)} times"
    yield Finding("recompile", DYNAMO, what, why, remedy, at, count=len(left))


def _remedy(why: Failed) -> str:
    """Of several settings each's own, once."""
    own = dict.fromkeys(f.remedy for f in (why, *why.others) if f.remedy)
    return "; ".join(own) or _REMEDIES[why.kind]


def _what(each: Recompiled, over: bool) -> str:
    every = (each.failed, *each.failed.others)
    change = "; ".join(_change(why.what, why.old, why.new) for why in every)
    return f"{each.function} is {'left to Python' if over else 'compiled again'}: {change}"


def _change(what: str, old: str, new: str) -> str:
    if not old:
        return f"{what} changed"
    if what in old:
        return f"it was compiled for {old}" + (f", and {what} is {new}" if new else "")
    return f"{what} was {old}" + (f" and is {new}" if new else "")
