"""The stages of what Dynamo compiled: one for each compilation of a function, with its bytecode
below it."""

from collections.abc import Iterator, Mapping

from compiler_core import report
from compiler_core.reference.dynamo.breaks import words_for
from compiler_core.reference.dynamo.graphs import graph_text, operations
from compiler_core.reference.dynamo.heard import Break, Frame, without_folders
from compiler_core.reference.dynamo.rewritten import Step, disassembly, steps
from compiler_core.reference.result import artifact
from compiler_core.reference.source_lines import SourceLines
from compiler_core.snippet.source import is_own
from compiler_core.wording import counted


def name_of(frame: Frame) -> str:
    """A stage's name: the function, and Dynamo's own id of the compilation, as in its logs."""
    return f"{frame.function} [{frame.id}]"


def stages_of(frame: Frame, lines: SourceLines, ms: Mapping[str, float]) -> Iterator[report.Stage]:
    """The stage of the graph and the rewritten function, then that of the bytecode."""
    texts = [] if frame.graph is None else [graph_text(frame.graph, lines)]
    texts.append(_outline(frame, lines))
    yield report.Stage(name_of(frame), "ok", ms.get(frame.id, 0.0), texts, summary=_summary(frame))
    yield _bytecode(frame, lines)


def _summary(frame: Frame) -> str:
    graph = "no graph" if frame.graph is None else _graph(frame)
    return "; ".join([graph, *map(_ends, frame.breaks[:1])])


def _graph(frame: Frame) -> str:
    return f"a graph of {counted(operations(frame.graph), 'operation')}"


def _ends(each: Break) -> str:
    at = f" at line {each.own[-1].line}" if each.own else ""
    return f"it ends{at}: {words_for(each).what}"


def _outline(frame: Frame, lines: SourceLines) -> report.Artifact:
    """What the rewritten function does, as text."""
    found = steps(frame.new)
    body = [_line(step, frame) for step in found] or ["nothing but what Python did before"]
    head = f"{frame.function}, as Dynamo rewrote it ({_place(frame)}):"
    text = "".join(f"{line}\n" for line in (head, *(f"    {b}" for b in body)))
    nodes = [[], *(_at(step.line, frame, lines) for step in found)]
    return report.Artifact("function", "function", "text", text, nodes if found else [])


def _place(frame: Frame) -> str:
    line = f"line {frame.old.co_firstlineno}"
    file = frame.old.co_filename
    return line if is_own(file) else f"{without_folders(file)}, {line}"


def _at(line: int | None, frame: Frame, lines: SourceLines) -> list[int]:
    """The operations of a line; none where the function is not the snippet's."""
    return lines.at(line) if is_own(frame.old.co_filename) else []


def _line(step: Step, frame: Frame) -> str:
    if step.kind == "graph":
        return f"the graph runs: {_graph(frame)}" if frame.graph is not None else "a graph runs"
    if step.kind == "rest":
        return "the rest of the function is called, and compiled when it is reached"
    return f"Python runs, in line {step.line}: {step.text}"


def _bytecode(frame: Frame, lines: SourceLines) -> report.Stage:
    texts = []
    for name, code in (("before", frame.old), ("after", frame.new)):
        text, at = disassembly(code)
        texts.append(artifact(name, "text", text, [_at(line, frame, lines) for line in at]))
    count = [sum(bool(t.strip()) for t in each.text.splitlines()) for each in texts]
    summary = f"{count[0]} instructions became {count[1]}"
    return report.Stage(
        f"bytecode of {name_of(frame)}", "ok", 0.0, texts, summary=summary, parent=name_of(frame)
    )
