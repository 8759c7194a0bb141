"""A report as text for a terminal: what the command line prints, and `print(report)` in Python."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from compiler_core.report.columns import error, relative_error, size, table, times
from compiler_core.report.graphs import Graph, PythonSegment, Saved
from compiler_core.report.kernels import Kernel
from compiler_core.report.overridden_text import overridden
from compiler_core.report.precision import ErrorSize, KernelError, cancels, severity
from compiler_core.report.program import Program, ran
from compiler_core.report.snippet import Failure
from compiler_core.report.stages import Stage
from compiler_core.report.text.compilers import compilers, timelines, timings
from compiler_core.report.text.why import why
from compiler_core.wording import counted

if TYPE_CHECKING:
    from compiler_core.report.report import Report

# The most reasons against fusion that are shown, and the most edges for each.
_MOST_REASONS, _MOST_EDGES = 12, 3
# The most values saved for the backward pass that are named.
_MOST_SAVED = 6


def to_text(report: "Report") -> str:
    """The readable summary that the command line prints without --json."""
    return "\n".join(_lines(report))


def _lines(report: "Report") -> Iterator[str]:
    if report.device.name:
        yield f"{report.device.kind}: {report.device.name}, {report.device.threads} threads"
    if report.toolchain:
        yield ", ".join(f"{name} {text}" for name, text in report.toolchain.items())
    for stream in (report.output.stdout, report.output.stderr):
        yield from (f"| {line}" for line in stream.splitlines())
    for notice, count in Counter(report.notices).items():
        yield f"{notice.level}{_at(notice.line)}: {notice.text}{times(count)}"
    if report.error is not None:
        yield from _failure(report.error)
    for candidate in report.candidates:
        yield f"  line {candidate.line}: {candidate.name}({', '.join(candidate.parameters)})"
    for program in report.programs:
        yield ""
        yield from _program(program)
    if report.protocol:
        yield ""
        yield report.protocol


def _at(line: int | None) -> str:
    return "" if line is None else f" (line {line})"


def _failure(error: Failure) -> Iterator[str]:
    yield f"failed at {error.stage}{_at(error.line)}: {error.message}"
    if error.remedy:
        yield f"  {error.remedy}"
    yield from (f"  | {line}" for line in error.traceback.splitlines())


def _program(program: Program) -> Iterator[str]:
    line = "" if program.entry.line is None else f", line {program.entry.line}"
    yield f"{program.name} ({program.framework}{line}): {', '.join(program.inputs)}"
    if program.error is not None:
        yield from _failure(program.error)
    yield from _graphs(program)
    yield from overridden(program)
    yield from _stages(program)
    yield from _summary(program)
    yield from _kernels(program)
    yield from _refusals(program)
    yield from _numerics(program)
    yield from _precision(program)
    yield from timings(program)
    yield from compilers(program)
    yield from timelines(program)
    yield from why(program)


def _graphs(program: Program) -> Iterator[str]:
    """The graph breaks that no Python segment names; then the graphs, in the order in which they
    run, with the Python between them."""
    shown = {segment.reason for segment in program.python}
    for each in program.graph_breaks:
        if each.reason not in shown:
            yield f"  graph break{_at(each.line)}: {each.reason}"
    yield from _python(program, after=None)
    for graph in program.graphs[:1]:
        yield from _parts(program, graph.id, "  ")


def _parts(program: Program, parent: str, indent: str) -> Iterator[str]:
    for graph in program.graphs:
        if graph.parent == parent:
            yield from _graph(graph, indent)
            yield from _parts(program, graph.id, indent + "  ")
            yield from _python(program, after=graph.id)


def _graph(graph: Graph, indent: str) -> Iterator[str]:
    yield f"{indent}{graph.name or graph.role}{_at(graph.line)}"
    if graph.saved:
        total = size(sum(s.bytes for s in graph.saved))
        yield f"{indent}  saves {total} for the backward pass: {_largest(graph.saved)}"


def _largest(saved: Sequence[Saved]) -> str:
    """The values that take most, and how much the others do."""
    ordered = sorted(saved, key=lambda s: s.bytes, reverse=True)
    shown, rest = map(_saved, ordered[:_MOST_SAVED]), ordered[_MOST_SAVED:]
    more = f" and {len(rest)} more of {size(sum(s.bytes for s in rest))}" if rest else ""
    return ", ".join(shown) + more


def _python(program: Program, after: str | None) -> Iterator[str]:
    for segment in program.python:
        if segment.after == after:
            through = f"; {size(segment.bytes)} go through memory" if segment.bytes else ""
            said = segment.reason or segment.text.strip()
            yield f"  Python{_places(segment)}: {said}{through}"


def _places(segment: PythonSegment) -> str:
    first, last = segment.first_line, segment.last_line
    return _at(first) if first == last or first is None else f" (lines {first} to {last})"


def _refusals(program: Program) -> Iterator[str]:
    """The edges that were not fused, grouped by reason: a large program has hundreds of edges and
    few reasons."""
    edges: dict[str, dict[str, None]] = {}
    for r in program.fusion_refusals:
        if ran(r, program):
            edges.setdefault(r.reason, {})[f"{r.from_} -> {r.to}"] = None
    for reason, found in [*edges.items()][:_MOST_REASONS]:
        own = [*found]
        more = f" and {len(own) - _MOST_EDGES} more" if len(own) > _MOST_EDGES else ""
        yield f"  not fused: {', '.join(own[:_MOST_EDGES])}{more}: {reason}"
    rest = sum(map(len, [*edges.values()][_MOST_REASONS:]))
    if rest:
        yield f"  not fused: {rest} more, whose reasons --json has"


def _stages(program: Program) -> Iterator[str]:
    """The stages in order; a program of several graphs has each pass once a graph, and those that
    changed nothing are only counted."""
    shown = [s for s in program.stages if s.changed or len(program.graphs) <= 1]
    rows = [[_stage_name(s), *_graph_name(s, program), *_stage(s)] for s in shown]
    yield from table(["stage", *_graph_head(program), "ms", ""], rows)
    if idle := len(program.stages) - len(shown):
        yield f"  {counted(idle, 'pass')} changed nothing"


def _stage_name(stage: Stage) -> str:
    compiler = "" if stage.compiler == stage.name else stage.compiler
    return " ".join(filter(None, (stage.backend, compiler, stage.name)))


def _stage(stage: Stage) -> list[str]:
    status = "" if stage.status == "ok" else f"{stage.status}: "
    return [f"{stage.ms:.1f}", status + stage.summary]


def _graph_head(program: Program) -> list[str]:
    return ["graph"] if len(program.graphs) > 1 else []


def _graph_name(entry: Stage | Kernel | KernelError, program: Program) -> list[str]:
    """A cell with the name of the entry's graph, blank for the root; no cell if there is one
    graph."""
    names = {g.id: g.name or g.role for g in program.graphs if g.parent is not None}
    return [names.get(entry.graph, "")] if len(program.graphs) > 1 else []


# Kinds of launches whose inner launches are listed once, and counted for each iteration.
_LOOPS = ("scan", "while")


def _summary(program: Program) -> Iterator[str]:
    s = program.summary
    if s.launches_core:
        loops = any(k.kind in _LOOPS and ran(k, program) for k in program.kernels)
        yield (
            f"  launches {s.launches_eager} eager, {s.launches_core} core"
            f"{', those in a loop at each turn' if loops else ''}; "
            f"memory traffic {size(s.bytes_eager)} eager, {size(s.bytes_core)} core; "
            f"native {s.native_share:.0%}"
        )
    elif program.python and len(program.graphs) == 1:
        yield f"  native {s.native_share:.0%}: it runs in Python as eager does"


def _kernels(program: Program) -> Iterator[str]:
    rows = [
        [k.id + times(len(all_)), *_graph_name(k, program), k.library or k.kind, _lines_of(*all_),
         size(k.bytes_read), size(k.bytes_written), k.reason]
        for k, all_ in _equal(program)
    ]  # fmt: skip
    head = ["kernel", *_graph_head(program), "kind", "lines", "read", "written", ""]
    yield from table(head, rows)


def _equal(program: Program) -> Iterator[tuple[Kernel, list[Kernel]]]:
    """The launches that ran, grouped by equal code: the first of each group, and all of them."""
    found: dict[tuple[str, str], list[Kernel]] = {}
    for k in program.kernels:
        if ran(k, program):
            found.setdefault((k.graph, k.same_as or k.id), []).append(k)
    yield from ((equal[0], equal) for equal in found.values())


def _numerics(program: Program) -> Iterator[str]:
    rows = [
        [name, error(n.max_abs_error), relative_error(n.max_rel_error),
         "ok" if n.ok else f"NOT OK {n.error}"]
        for name, n in program.numerics.items()
    ]  # fmt: skip
    yield from table(["compiler", "max abs error", "max rel error", ""], rows)


# The number of kernels with the largest errors that are shown.
_WORST = 3


def _precision(program: Program) -> Iterator[str]:
    """A table of the kernels that add the largest errors, the worst first, without exact ones."""
    brought = [e for e in program.kernel_errors if severity(e.own)]
    kernels = {(k.graph, k.id): [k] for k in program.kernels if ran(k, program)}
    rows = [
        [e.kernel, *_graph_name(e, program), _lines_of(*kernels.get((e.graph, e.kernel), ())),
         _relative(e.own), _ulps(e.own), _at_index(e.own), _relative(e.eager_own),
         _relative(e.accumulated), _relative(e.eager_accumulated)]
        for e in sorted(brought, key=lambda e: severity(e.own), reverse=True)[:_WORST]
    ]  # fmt: skip
    head = ["kernel", *_graph_head(program), "lines", "rel error brought", "ulps", "at", "by eager",
            "rel error there", "of eager"]  # fmt: skip
    yield from table(head, rows)


def _lines_of(*kernels: Kernel) -> str:
    return ",".join(map(str, sorted({line for k in kernels for line in k.lines})))


def _relative(size: ErrorSize | None) -> str:
    if size is None:
        return ""
    counted = size.max_rel is None and size.got is not None
    off = f"{size.differing} differ" if counted else relative_error(size.max_rel)
    return f"{off} (the sum cancels: {severity(size):.3g} of its terms)" if cancels(size) else off


def _ulps(size: ErrorSize) -> str:
    return "" if size.max_ulps is None else f"{size.max_ulps:.3g}"


def _at_index(size: ErrorSize) -> str:
    return f"[{', '.join(map(str, size.index))}]"


def _saved(saved: Saved) -> str:
    at = f" (line {saved.lines[0]})" if saved.lines else ""
    return f"{saved.name} {saved.type}{at}"
