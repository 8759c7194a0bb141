"""Which sizes became symbolic in the graphs, and in which ranges."""

import inspect
import re
from collections.abc import Iterable, Mapping

import torch

from compiler_core import report
from compiler_core.reference.dynamo import private
from compiler_core.reference.dynamo.conditions import line_of, names
from compiler_core.reference.dynamo.frames import name_of
from compiler_core.reference.dynamo.replay import Replay
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Column, Row, Table
from compiler_core.snippet.calls import Call
from compiler_core.snippet.circumstances import set_back
from compiler_core.wording import counted

_COLUMNS = [
    Column("compilation"),
    Column("symbol"),
    Column("source", about="What it is the size or the value of."),
    Column("hint", about="Its value in the call that was compiled for."),
    Column("from", about="The least value that this compilation serves."),
    Column("to", about="The greatest; blank where there is no bound."),
    Column("varies because", about="Who made it a symbol."),
    Column("narrowed by", about="The conditions of the program that restrict it."),
]
_ABOUT = (
    "Sizes 0 and 1 are never symbols, so ranges begin at 2; of a symbol with one value left, the "
    "program has needed its number"
)
_SIZE = re.compile(r"L\['(\w+)'\]\.size\(\)\[(\d+)\]")
_INFINITE = re.compile(r"-?(?:int_)?oo")


def stage(replay: Replay, lines: SourceLines) -> report.Stage:
    """The symbols of each compilation."""
    rows = [
        _row(name_of(frame), symbol, replay, frame.id, lines)
        for frame in replay.heard.frames
        for symbol in replay.symbols.get(frame.id, ())
    ]
    return report.Stage(
        "symbolic sizes", "ok", 0.0,
        summary=counted(len(rows), "symbol") if rows else "every size and number is a constant",
        tables=[Table("symbols", _COLUMNS, rows, _ABOUT)] if rows else [],
    )  # fmt: skip


def values(symbols: Iterable[private.Symbol]) -> dict[str, str]:
    """The symbolic sizes, by name, with their values in the call."""
    known = [each for each in symbols if each.hint is not None]
    return {names(source): str(each.hint) for each in known for source in each.sources}


def _row(
    compilation: str, symbol: private.Symbol, replay: Replay, id_: str, lines: SourceLines
) -> Row:
    source = ", ".join(names(s) for s in symbol.sources)
    narrowed = dict.fromkeys(_narrowed(expr, place) for expr, place in symbol.narrowed)
    line = next((n for _, p in reversed(symbol.narrowed) if (n := line_of(p))), None)
    one = symbol.replaced
    lower, upper = (one, one) if one else (_bound(symbol.lower), _bound(symbol.upper))
    cells: list[report.Cell] = [
        compilation, symbol.name, source, symbol.hint, lower, upper,
        _because(symbol, replay, id_), "; ".join(narrowed),
    ]  # fmt: skip
    return Row(cells, lines.at(line), line)


def _bound(text: str) -> str:
    return "" if _INFINITE.fullmatch(text) else text


def _narrowed(expr: str, place: str) -> str:
    """The condition, and the user's line that asks for it."""
    asked = place.partition("  # ")[0].strip()
    return f"{expr} ({asked})" if asked and line_of(place) else expr


def _because(symbol: private.Symbol, replay: Replay, id_: str) -> str:
    """A mark on the argument, the option, or that an earlier call brought another number."""
    calling = replay.calling
    call = next((r.call for r in replay.recompiled if r.id == id_), 0)
    arguments = calling.calls[call]
    tensors = _arguments(calling.fn, arguments)
    sizes = (_SIZE.fullmatch(source) for source in symbol.sources)
    known = ((tensors.get(m[1]), int(m[2])) for m in sizes if m)
    marks = (private.marked(t).get(d) for t, d in known if isinstance(t, torch.Tensor))
    with set_back(arguments.marks):
        mark = next(filter(None, marks), None)
    if mark:
        return mark
    if calling.options.get("dynamic"):
        return "dynamic=True"
    return "an earlier call brought another number" if call else ""


def _arguments(fn: object, call: Call) -> Mapping[str, object]:
    called = fn.forward if isinstance(fn, torch.nn.Module) else fn
    try:
        bound = inspect.signature(called).bind(*call.args, **call.kwargs)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return {}
    return bound.arguments
