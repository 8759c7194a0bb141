"""Graph breaks as entries of the why-list, and as a table."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from compiler_core import report
from compiler_core.capture.torch.dynamo.breaks import asked_by
from compiler_core.reference.dynamo.break_message import BreakMessage, parse_message
from compiler_core.reference.dynamo.gaps import BEGIN
from compiler_core.reference.dynamo.heard import Break, Frame
from compiler_core.reference.dynamo.rewritten import steps, title
from compiler_core.reference.dynamo.words import Words, words_of
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Column, Finding, Row, Table
from compiler_core.snippet.source import is_own
from compiler_core.wording import counted

DYNAMO = "dynamo"
NO_GAPS: Mapping[str, float] = MappingProxyType({})
# What Dynamo leaves to Python around a break at which no graph can end, in words.
_LEFT = {
    "all": "no graph can end there, so Python runs all of {function}",
    "the rest": "no graph can end there, so Python runs the rest of {function}",
}
_INNER = " and only what it calls is compiled"
_ASKED = "Call to `torch._dynamo.graph_break()`"
_BY_TORCH = "torch asks for a graph break in what is called here"
_RAISES = "with fullgraph=True, torch.compile raises here and compiles nothing: “{says}”"
_SENTENCE = re.compile(r".*?(?<!e\.g)(?<!i\.e)\.(?=\s|$)")
_MOVE = "move it out of the loop, try or with that it stands in"


@dataclass(frozen=True)
class Met:
    """A break, how often it was met, and the snippet's code that Python runs because of it; `ids`
    are those of the compilations that ended there."""

    at: Break
    count: int
    left: tuple[str, ...]
    ids: tuple[str, ...] = ()


def met(breaks: Sequence[Break], frames: Iterable[Frame]) -> list[Met]:
    """The distinct breaks. Dynamo meets a break in a helper twice: within the helper's caller, and
    again when Python calls the helper, which is then compiled by itself."""
    left = {frame.id: _left(frame) for frame in frames}
    found: list[Break] = []
    count: dict[int, int] = {}
    ids: dict[int, list[str]] = defaultdict(list)
    for each in breaks:
        known = next((i for i, b in enumerate(found) if _is_again(each, b)), None)
        if known is None:
            found.append(each)
            known = len(found) - 1
        ids[known].append(each.during)
        # From within is no second time.
        count[known] = count.get(known, 0) + (len(each.stack) == len(found[known].stack))
    return [
        Met(b, count[i], left.get(b.during, ()), tuple(dict.fromkeys(ids[i])))
        for i, b in enumerate(found)
    ]


def _is_again(each: Break, before: Break) -> bool:
    places = [(p.file, p.line, p.column) for p in before.stack]
    own = [(p.file, p.line, p.column) for p in each.stack]
    same = parse_message(each.reason).title == parse_message(before.reason).title
    return same and bool(own) and places[-len(own) :] == own


def _left(frame: Frame) -> tuple[str, ...]:
    if not is_own(frame.old.co_filename):
        return ()
    texts = (f"line {s.line}: {s.text}" for s in steps(frame.new) if s.kind == "python")
    return tuple(dict.fromkeys(texts))


def charged(gaps: Mapping[str, float], frames: Sequence[Frame]) -> dict[str, float]:
    """The time that Python takes because of each compilation that ended in a graph break, in
    microseconds by the compilation's id. `gaps` has the time after each graph, by the id of its
    compilation; it is charged to that compilation if it broke, else to the next one if that broke
    before it had a graph. The time before the first graph is charged to a first compilation that
    broke without a graph."""
    found: dict[str, float] = defaultdict(float)
    if frames and frames[0].graph is None and frames[0].breaks and BEGIN in gaps:
        found[frames[0].id] += gaps[BEGIN]
    for at, frame in enumerate(frames):
        broken = (f for f in frames[at : at + 2] if f.breaks)
        ended = next((f for f in broken if f is frame or f.graph is None), None)
        if ended is not None and frame.id in gaps:
            found[ended.id] += gaps[frame.id]
    return dict(found)


def finding(
    each: Met,
    lines: SourceLines,
    gaps: Mapping[str, float] = NO_GAPS,
    *,
    fatal: bool = False,
) -> Finding:
    """The break's entry of the why-list. It costs what Python takes after the graphs that end
    there, of which `gaps` has the microseconds. `fatal`: torch.compile raised it
    (fullgraph=True)."""
    at, message = each.at, parse_message(each.at.reason)
    words, own = words_for(at), at.own
    last = own[-1] if own else None
    why = [words.why, *_all_left(at, message)]
    remedy = [words.remedy, *([_MOVE] if message.leaves else [])]
    if each.left:
        why.append(f"Python runs {'; '.join(each.left)}")
    if fatal:
        why.append(_RAISES.format(says=_says(message)))
    return Finding(
        "failed" if fatal else "graph break",
        DYNAMO,
        words.what,
        "; ".join(filter(None, why)),
        "; or ".join(filter(None, remedy)),
        None if last is None else last.line,
        None if last is None else last.column,
        [p.line for p in own],
        [] if last is None else lines.at(last.line, last.column),
        us=sum(gaps[i] for i in each.ids if i in gaps) or None,
        count=max(each.count, 1),
        raw=at.reason,
        category=message.title,
    )


def _says(message: BreakMessage) -> str:
    """What Dynamo raises, in its own words: the kind of the break and the first sentence of its
    explanation."""
    first = _SENTENCE.match(message.explanation)
    return f"{message.title}: {first[0]}" if first else message.title


def _all_left(at: Break, message: BreakMessage) -> Iterator[str]:
    if message.leaves:
        function = title(at.stack[0].function) if at.stack else "the function"
        yield _LEFT[message.leaves].replace("{function}", function) + _INNER


def words_for(at: Break) -> Words:
    """The break in plain words; a break in torch's own code is not attributed to the snippet."""
    message = parse_message(at.reason)
    if message.title == _ASKED and at.stack and not is_own(at.stack[-1].file):
        asked = asked_by(at.stack[-1].file)
        return Words(_BY_TORCH, asked.why, asked.remedy)
    return words_of(message)


_COLUMNS = [
    Column("what", about="What ended the graph."),
    Column("why"),
    Column("remedy"),
    Column("Dynamo's kind", about="Its own name for breaks of this kind."),
    Column(
        "Python",
        "us",
        "From the end of the graph, or the beginning of the call, to the next graph, when all is "
        "compiled.",
    ),
    Column("times"),
]


def stage(found: Sequence[Finding]) -> report.Stage:
    """All breaks as one table, and Dynamo's own words as a text."""
    rows = [
        Row([f.what, f.why, f.remedy, f.category, f.us, f.count], f.nodes, f.line) for f in found
    ]
    raw = "\n\n".join(f.raw for f in found)
    return report.Stage(
        "graph breaks",
        "ok",
        0.0,
        [report.Artifact("raw", "raw", "text", raw)] if raw else [],
        summary=counted(len(found), "graph break"),
        tables=[Table("graph breaks", _COLUMNS, rows)] if rows else [],
    )
