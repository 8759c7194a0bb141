"""The records of TorchInductor as stages of the report."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from compiler_core import report
from compiler_core.reference.fx_text import Line
from compiler_core.reference.inductor import line_map, memory, output_code
from compiler_core.reference.inductor.graph_skips import in_words
from compiler_core.reference.inductor.reasons import TEMPLATE
from compiler_core.reference.inductor.records import Fired, Lowered, Origins, Passes, Phase, Unit
from compiler_core.reference.origins import Origin, ids_of
from compiler_core.reference.result import artifact
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Column, Row, Table
from compiler_core.wording import counted

# Faster passes are left out of the table of times.
_LEAST_MS = 0.05
# What torch calls passes over groups of patterns.
_NUMBERED = re.compile(r"pass_pattern_(\d+)")


@dataclass(frozen=True)
class Naming:
    """What the stages of one graph have in common: the suffix of their names, their parent stage,
    and the plan, "cpu" or "gpu". `template` is a sentence on how a template may replace a library
    call."""

    lines: SourceLines
    of: str = ""
    parent: str = ""
    backend: str = ""
    template: str = TEMPLATE

    def name(self, base: str) -> str:
        """A stage's name, unique among those of all graphs."""
        return f"{base}, {self.of}" if self.of else base

    def ids(self, origins: Iterable[Origin]) -> list[int]:
        """The captured operations at the origins."""
        return ids_of(self.lines, origins)

    def stage(
        self,
        base: str,
        artifacts: Sequence[report.Artifact] = (),
        tables: Sequence[Table] = (),
        summary: str = "",
        ms: float = 0.0,
        changed: bool = True,
    ) -> report.Stage:
        """A stage of this graph."""
        return report.Stage(
            self.name(base), "ok", ms, list(artifacts), changed=changed, summary=summary,
            backend=self.backend, parent=self.parent, tables=list(tables),
        )  # fmt: skip


def passes_stage(naming: Naming, passes: Passes) -> report.Stage:
    """A group of passes: the graph before and after it, and the patterns that were applied."""
    changed = passes.before != passes.after
    if changed:
        texts = [
            graph_text(naming, "before", passes.before),
            graph_text(naming, "after", passes.after),
        ]
    else:
        texts = [graph_text(naming, "graph", passes.after)]
    summary = counted(len(passes.fired), "pattern") + " applied" if passes.fired else ""
    tables = [t for t in (_patterns(naming, passes.fired), _times(passes)) if t.rows]
    ms = sum(ms for _, ms in passes.ms)
    return naming.stage(passes.group, texts, tables, summary or _unchanged(changed), ms, changed)


def _unchanged(changed: bool) -> str:
    return "changed by passes that have no patterns" if changed else "nothing to do"


def graph_text(naming: Naming, name: str, lines: Sequence[Line]) -> report.Artifact:
    """A graph as text with its line map."""
    text = "".join(f"{line}\n" for line, _ in lines)
    nodes = [naming.ids([at]) if at is not None else [] for _, at in lines]
    return artifact(name, "aten", text, nodes)


def _patterns(naming: Naming, fired: Sequence[Fired]) -> Table:
    return Table(
        "patterns",
        [Column("pattern"), Column("before"), Column("after")],
        [
            Row(
                [f.pattern, "\n".join(f.before), "\n".join(f.after) or "nothing"],
                naming.ids(f.origins),
                _first_line(f.origins),
            )
            for f in fired
        ],
        "What was found in the graph, by the name of the pattern, and what came in its place.",
    )


def _times(passes: Passes) -> Table:
    rows = [Row([pass_name(name), ms]) for name, ms in passes.ms if ms >= _LEAST_MS]
    return Table("passes", [Column("pass"), Column("time", "ms")], rows)


def pass_name(name: str) -> str:
    """A pass by its own name; those that Inductor only numbers look for patterns."""
    own = name.rpartition(".")[2]
    numbered = _NUMBERED.fullmatch(own)
    return own if numbered is None else f"looking for patterns, group {int(numbered[1]) + 1}"


def units_stage(naming: Naming, lowered: Lowered) -> report.Stage:
    """The scheduler's nodes before fusion."""
    return naming.stage(
        "scheduler",
        tables=[_units(naming, "nodes", lowered.before)],
        summary=f"{counted(len(lowered.before), 'node')} before fusion",
    )


def fusion_stage(naming: Naming, lowered: Lowered, refused: int) -> report.Stage:
    """The scheduler's nodes after fusion."""
    summary = f"{counted(len(lowered.after), 'node')} of {len(lowered.before)}"
    if refused:
        summary += f"; {counted(refused, 'pair')} not fused"
    return naming.stage("fusion", tables=[_units(naming, "nodes", lowered.after)], summary=summary)


def _units(naming: Naming, name: str, units: Sequence[Unit]) -> Table:
    columns = [
        Column("node"),
        Column("kind"),
        Column("operations"),
        Column("loops", about="The sizes that it runs over; after the bar, those reduced."),
        Column("reads", about="Each buffer with the index that it is read at."),
        Column("writes"),
        Column("read", "bytes"),
        Column("written", "bytes"),
    ]
    return Table(name, columns, [_unit(naming, unit) for unit in units])


def _unit(naming: Naming, unit: Unit) -> Row:
    cells: list[report.Cell] = [
        unit.name, unit.kind, ", ".join(unit.ops), unit.loops, ", ".join(unit.reads),
        ", ".join(unit.writes), unit.bytes_read, unit.bytes_written,
    ]  # fmt: skip
    return Row(cells, naming.ids(unit.origins), _first_line(unit.origins))


def _first_line(origins: Origins) -> int | None:
    return origins[0].line if origins else None


def code_stage(naming: Naming, lowered: Lowered, base: str) -> report.Stage:
    """The module that was written, and its kernels."""
    code = output_code.parsed(lowered.text)
    nodes = line_map.nodes(code, lowered, naming.ids, ids_by_name(naming, lowered))
    text = artifact("output code", "python", code.text, nodes)
    kernels = _kernels(naming, lowered, code.kernels)
    return naming.stage(base, [text], [kernels], _said(lowered))


def _said(lowered: Lowered) -> str:
    calls = sum(u.is_call for u in lowered.after)
    summary = counted(len(lowered.kernels), "kernel")
    return f"{summary}, {counted(calls, 'library call')}" if calls else summary


def ids_by_name(naming: Naming, lowered: Lowered) -> dict[str, list[int]]:
    """The captured operations of each kernel and each buffer, by name."""
    found = {name: naming.ids(origins) for name, origins in lowered.buffers.items()}
    home = {m: u for u in lowered.before for m in u.members}
    for kernel in lowered.kernels:
        found[kernel.name] = naming.ids(
            at for m in kernel.members if m in home for at in home[m].origins
        )
    return found


def _kernels(naming: Naming, lowered: Lowered, kinds: dict[str, str]) -> Table:
    columns = [
        Column("kernel"),
        Column("kind"),
        Column("operations"),
        Column("loops", about="Of each loop nest in it, in order; after the bar, what is reduced."),
        Column("read", "bytes"),
        Column("written", "bytes"),
    ]
    rows = [
        _kernel(
            naming, name, kinds.get(name, ""), [u for u in lowered.after if part & {*u.members}]
        )
        for name, part in ((k.name, {*k.members}) for k in lowered.kernels)
    ]
    calls = [u for u in lowered.after if u.is_call]
    rows += [_kernel(naming, u.name, u.kind, [u]) for u in calls]
    return Table("kernels", columns, rows)


def _kernel(naming: Naming, name: str, kind: str, units: Sequence[Unit]) -> Row:
    ops = dict.fromkeys(op for u in units for op in u.ops)
    loops = dict.fromkeys(u.loops for u in units if u.loops)
    cells: list[report.Cell] = [
        name, kind, ", ".join(ops), "; ".join(loops),
        sum(u.bytes_read for u in units), sum(u.bytes_written for u in units),
    ]  # fmt: skip
    origins = tuple(sorted({at for u in units for at in u.origins}))
    return Row(cells, naming.ids(origins), _first_line(origins))


def memory_stage(naming: Naming, lowered: Lowered) -> report.Stage:
    """What the wrapper allocates, reuses and frees."""
    lines = output_code.calls(lowered.text)
    values = memory.lifetimes(lines)
    columns = [
        Column("buffer"),
        Column("type"),
        Column("size", "bytes"),
        Column("from", about="The call before which it is made."),
        Column("to", about="The call after which it is let go; none of what is returned."),
        Column("in place of", about="The value whose memory it takes over."),
    ]
    rows = [
        Row(
            [v.name, v.type, v.bytes, v.first, v.last, v.of],
            naming.ids(lowered.buffers.get(v.name, ())),
        )
        for v in values
    ]
    reused = sum(bool(v.of) for v in values)
    summary = f"{counted(len(values) - reused, 'buffer')} allocated, {reused} reused"
    summary += f"; {memory.at_once(values)}"
    text = artifact("calls", "python", "".join(f"{line}\n" for line in lines))
    return naming.stage("memory", [text], [Table("buffers", columns, rows)], summary)


def graphs_stage(naming: Naming, lowered: Lowered) -> report.Stage:
    """Whether the graph would be replayed as a CUDA graph."""
    return naming.stage("CUDA graphs", summary=_replayed(lowered, naming.backend == "gpu"))


def _replayed(lowered: Lowered, on_gpu: bool) -> str:
    if not on_gpu:
        return "skipped: the program's tensors are on the CPU"
    why = "; ".join(map(in_words, lowered.cudagraphs_refused))
    if lowered.cudagraphs:
        return f"skipped: {why}" if why else "taken"
    would = f"would skip this graph: {why}" if why else "would replay this graph"
    return f"not asked for; torch.compile(mode='reduce-overhead') {would}"


def phases_stage(naming: Naming, phases: Sequence[Phase]) -> report.Stage:
    """Compile time by phase, as torch times it; single passes are shown with their groups."""
    ms, table = _phases(phases)
    return naming.stage("compile time", tables=[table], ms=ms, summary="without g++")


def target_stage(naming: Naming, base: str, phases: Sequence[Phase], untimed: str) -> report.Stage:
    """The parent of the stages for another device; `untimed` says what is left out there."""
    ms, table = _phases(phases)
    summary = "from the joint graph on, as on a machine with this GPU" + untimed
    return replace(naming, backend="gpu").stage(base, tables=[table], ms=ms, summary=summary)


def _phases(phases: Sequence[Phase]) -> tuple[float, Table]:
    """The time of all, and the table."""
    kept = [p for p in phases if not p.name.startswith("pass.") and p.ms >= _LEAST_MS]
    rows = [Row([f"{'  ' * p.depth}{p.name}", p.ms]) for p in kept]
    about = "Of the look, which compiles no C++; a phase holds those that are further in."
    table = Table("phases", [Column("phase"), Column("time", "ms")], rows, about)
    return sum(p.ms for p in kept if p.depth == 0), table
