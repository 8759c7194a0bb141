"""A report as text for a terminal."""

from collections.abc import Iterator, Sequence

from compiler_core.report import (
    WHOLE,
    Failure,
    FusionRefusal,
    Kernel,
    Program,
    Report,
    Saved,
    Stage,
)


def to_text(report: Report) -> str:
    """The readable summary that the command line prints without --json."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    versions = ", ".join(f"{name} {text}" for name, text in report.toolchain.items())
    yield f"{report.device.kind}: {report.device.name}, {report.device.threads} threads"
    yield versions
    for stream in (report.output.stdout, report.output.stderr):
        yield from (f"| {line}" for line in stream.splitlines())
    for notice in report.notices:
        yield f"{notice.level}{_at(notice.line)}: {notice.text}"
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
    head = f"{program.name} ({program.framework}{_at(program.entry.line)})"
    yield f"{head}: {', '.join(program.inputs)}"
    if program.error is not None:
        yield from _failure(program.error)
    for each in program.graph_breaks:
        yield f"  graph break{_at(each.line)}: {each.reason}"
    for graph in program.graphs:
        if graph.saved:
            total = sum(s.bytes for s in graph.saved)
            yield f"  {graph.name} saves {total} bytes: {', '.join(map(_saved, graph.saved))}"
    yield from _table(["stage", "ms", ""], [_stage(s) for s in program.stages])
    s = program.summary
    if s.launches_core:
        yield (
            f"  launches {s.launches_eager} eager, {s.launches_core} core; "
            f"memory traffic {_mib(s.bytes_eager)} eager, {_mib(s.bytes_core)} core; "
            f"native {s.native_share:.0%}"
        )
    yield from _table(
        ["kernel", "kind", "lines", "read", "written", ""],
        [
            [k.id, k.library or k.kind, ",".join(map(str, k.lines)), _mib(k.bytes_read),
             _mib(k.bytes_written), k.reason]
            for k in program.kernels
            if _ran(k, program)
        ],
    )  # fmt: skip
    for refusal in (r for r in program.fusion_refusals if _ran(r, program)):
        yield f"  not fused: {refusal.from_} -> {refusal.to}: {refusal.reason}"
    yield from _table(
        ["compiler", "max abs error", "max rel error", ""],
        [
            [name, _error(n.max_abs_error), _error(n.max_rel_error),
             "ok" if n.ok else f"NOT OK {n.error}"]
            for name, n in program.numerics.items()
        ],
    )  # fmt: skip
    yield from _table(
        ["compiler", "median us", "p25", "p75", "n", "vs eager", "first call ms", ""],
        [
            [name, f"{t.median_us:.1f}", f"{t.p25_us:.1f}", f"{t.p75_us:.1f}", str(t.samples),
             _speedup(t.speedup), _number(t.first_call_ms), t.verdict]
            for name, t in program.timings.items()
        ],
    )  # fmt: skip


def _ran(entry: Kernel | FusionRefusal, program: Program) -> bool:
    """Whether it is of the plan that ran; what a target is shown has another."""
    return entry.backend in ("", program.backend)


def _saved(saved: Saved) -> str:
    at = f" (line {saved.lines[0]})" if saved.lines else ""
    return f"{saved.name} {saved.type}{at}"


def _stage(stage: Stage) -> list[str]:
    status = "" if stage.status == "ok" else f"{stage.status}: "
    name = f"{stage.backend} {stage.name}".strip()
    if stage.graph != WHOLE:
        name += f" [{stage.graph}]"
    return [name, f"{stage.ms:.1f}", status + stage.summary]


def _speedup(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}x"


def _error(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.3g}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _mib(size: int) -> str:
    return f"{size / 2**20:.2f} MiB" if size >= 2**10 else f"{size} B"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell; nothing where there are no rows."""
    if not rows:
        return
    widths = [max(len(r[i]) for r in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        yield "  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
