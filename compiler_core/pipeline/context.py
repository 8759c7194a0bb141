"""One program on its way through the pipeline: the results of its stages so far, and the functions
by which stages emit events."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from compiler_core import report
from compiler_core.backends.backend import Backend, Emitted, Executable, MachineCode
from compiler_core.backends.registry import kind
from compiler_core.capture.captured import Captured, CapturedGraph
from compiler_core.fuse.alone import Alone
from compiler_core.fuse.group import Fused
from compiler_core.ir.graph import Graph, Region
from compiler_core.measure.rest import Rest, no_rest
from compiler_core.measure.runnable import Runnable
from compiler_core.pipeline.origin import Origin
from compiler_core.pipeline.regions import region_ids
from compiler_core.pipeline.time_left import Share, TimeLeft, endless, share
from compiler_core.plan.plan import Plan
from compiler_core.plan.summed import Decisions
from compiler_core.reference.result import Reference
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.raised import fault_of, is_interrupt

Emit = Callable[[report.Event], None]
# The exclusive right to measure on a device, "cpu" or "cuda"; what it returns lets others go first
# for a moment between two stretches of measuring.
Lease = Callable[[str], AbstractContextManager[Rest]]


def no_lease(device: str) -> AbstractContextManager[Rest]:
    """A lease that is always granted, for processes in which nothing else measures on the
    device."""
    return nullcontext(no_rest)


def writable(emit: Emit) -> Emit:
    """`emit` for events with any text in them: half of a surrogate pair, which a snippet may have
    in a name, cannot be encoded as UTF-8 and is replaced."""
    return lambda event: emit(report.writable(event))


@dataclass
class Work:
    """The results of the stages for one graph and one backend, in the order of the stages; None
    where a stage was not reached."""

    backend: Backend
    # Which products of a matrix and a vector are sums, with the candidates for each.
    decided: Decisions = field(default_factory=dict)
    # The graph after all passes, with which fusion begins.
    graph: Graph | None = None
    alone: Alone | None = None
    fused: Fused | None = None
    plan: Plan | None = None
    emitted: Emitted | None = None
    machine_code: tuple[MachineCode, ...] | None = None


@dataclass
class Compilation:
    """Stages fill the fields in order; a field that is None was not reached.

    Of a program that is one graph there is one Compilation, its own only part. Of several graphs,
    each is a part with the root's program, options and `emit`; what concerns all of them (capture,
    numerics, timings) is of the root.
    """

    number: int
    program: FoundProgram
    options: report.Options
    device: str
    emit: Emit
    lease: Lease
    # The backend that runs the program first, then those for targets that are only shown.
    backends: tuple[Backend, ...] = ()
    captured: Captured | None = None
    # The captured graph that this is a Compilation of, and its graph after the passes so far.
    source: CapturedGraph | None = None
    graph: Graph | None = None
    executable: Executable | None = None
    runnables: dict[str, Runnable] = field(default_factory=dict)
    references: dict[str, Reference] = field(default_factory=dict)
    figures: dict[str, report.CompilerSummary] = field(default_factory=dict)
    # Milliseconds of the stages that lead to the program that runs, by their kind.
    ms: dict[str, float] = field(default_factory=dict)
    protocol: str = ""
    # The lines of functions that TorchDynamo has stopped compiling because it compiled them too
    # often.
    left_to_python: list[int] = field(default_factory=list)
    # The errors of each compiler's first call.
    numerics: Mapping[str, report.Numerics] = field(default_factory=dict)
    # Of a call of each compiler's version, where it was measured.
    median_us: Mapping[str, float] = field(default_factory=dict)
    # The first failure of the program.
    failure: report.Failure | None = None
    # The why-list so far, by who found it.
    findings: dict[str, list[report.Finding]] = field(default_factory=dict)
    # The snippet of the program, to be run again with a change; None for a program that comes from
    # Python.
    origin: Origin | None = None
    time_left: TimeLeft = endless
    # The time share of all graphs together for compiling kernels for a machine that is not present.
    compiling: Share | None = None
    root: "Compilation | None" = None
    parts: list["Compilation"] = field(default_factory=list)
    # The last error that was shown as a stage's: it passes through several on its way out.
    _shown: BaseException | None = None
    # One for each backend that plans the program.
    works: tuple[Work, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.works = tuple(Work(each) for each in self.backends)

    @property
    def running(self) -> Work:
        """The work of the backend that runs the program."""
        return self.works[0]

    def share(self, wanted: float) -> Share:
        """The share of the run's remaining seconds for work that nobody waits for and that would
        take `wanted` seconds."""
        return share(wanted, self.time_left())

    @property
    def memory(self) -> str:
        """torch's device type for the memory that holds the program's tensors."""
        return kind(self.device).memory

    @property
    def line_of(self) -> Mapping[int, int | None]:
        """The snippet's line of each captured operation, by its id."""
        return {} if self.captured is None else {n.id: n.line for n in self.captured.nodes}

    @property
    def overrides(self) -> tuple[report.Override, ...]:
        """The overrides of this program, and those of passes, which hold for all programs."""
        return tuple(
            each
            for each in self.options.overrides
            if isinstance(each, report.WithoutPass) or each.program == self.number
        )

    def emit_began(self, name: str, detail: str = "", fraction: float | None = None) -> None:
        """Emits that a stage has begun, or how far it is: `fraction` from 0 to 1."""
        self.emit(report.StageBegan(self.number, name, detail, fraction))

    @property
    def id(self) -> str:
        """The graph's id in the report."""
        return report.WHOLE if self.root is None or self.source is None else self.source.id

    def regions(self, work: Work) -> Mapping[Region, str]:
        """The ids in the report of the graph, as a backend has it, and of each of its regions."""
        return {} if work.graph is None else region_ids(work.graph, self.id)

    def divide(self, captured: Captured) -> None:
        """Creates a part for each captured graph."""
        self.captured = captured
        if captured.session is None:
            whole = captured.whole
            self.source, self.graph, self.parts = whole, whole.graph, [self]
            return
        self.parts = [
            replace(self, captured=captured, source=each, graph=each.graph, root=self, parts=[])
            for each in captured.graphs
        ]

    def emit_stage(self, stage: report.Stage) -> None:
        """Emits the result of a stage of this graph."""
        if not stage.backend or stage.backend == self.running.backend.name:
            ms = (self.root or self).ms
            ms[stage.kind] = ms.get(stage.kind, 0.0) + stage.ms
        self.emit_stage_as_is(structs.replace(stage, graph=self.id))

    def emit_stage_as_is(self, stage: report.Stage) -> None:
        """Emits the result of a stage for whichever graph it names, as other compilers' stages
        do."""
        self.emit(report.StageDone(self.number, report.counted(stage)))

    def fail(self, failure: report.Failure, work: Work | None = None) -> None:
        """Marks the program as failed; only the first failure is kept. A failure in the `work` of a
        backend that only shows a target fails its stage alone: the program still runs."""
        root = self.root or self
        if root.failure is None and (work is None or work is self.running):
            root.failure = failure
            self.emit(report.ProgramFailed(self.number, failure))

    def emit_facts(self, **facts: Any) -> None:
        """Emits fields of the report's program."""
        if self.root is not None:
            facts["graph"] = self.id
        self.emit(report.Facts(self.number, **facts))

    def add_findings(self, compiler: str, findings: Sequence[report.Finding]) -> None:
        """Emits further entries of the why-list, together with the earlier ones of this
        compiler."""
        known = (self.root or self).findings.setdefault(compiler, [])
        known[:] = report.merged(known, findings)
        if known:
            self.emit(report.Facts(self.number, findings=list(known), compiler=compiler))

    def add_figures(self, figures: report.CompilerSummary) -> None:
        """Emits a compiler's figures, joined with those that were known of it before."""
        root, name = self.root or self, figures.compiler
        known = root.figures.get(name, report.CompilerSummary(name))
        if figures.breaks == report.BY_DYNAMO and "dynamo" in root.figures:
            figures = structs.replace(figures, breaks=root.figures["dynamo"].breaks)
        root.figures[name] = report.joined(known, figures)
        root.emit_facts(compilers=[root.figures[name]], compiler=name)

    @contextmanager
    def failing_as(self, name: str, kind: str, work: Work | None = None) -> Iterator[None]:
        """Context: an exception in it is emitted as the failure of stage `name`, and raised
        again."""
        start = time.perf_counter()
        try:
            yield
        except BaseException as error:
            if is_interrupt(error):
                raise
            if error is not self._shown:
                self._shown = error
                fault, ms = fault_of(error), (time.perf_counter() - start) * 1e3
                failed = report.Stage(name, "failed", ms, kind=kind, summary=fault.sentence)
                self.emit_stage(_of(work, failed))
                self.fail(fault.failure(name), work)
            raise

    def was_shown(self, error: BaseException) -> bool:
        """Whether `error` has been emitted as a stage's failure, which an exception of `emit`
        itself has not. Forgets it."""
        shown, self._shown = self._shown, None  # its frames hold tensors
        return error is shown

    @contextmanager
    def stage(self, name: str, kind: str, work: Work | None = None) -> Iterator["Draft"]:
        """Context of one stage, which is timed, of one backend's `work` or of all backends. When it
        ends, the draft that it has filled is emitted, with the error if one ended it."""
        draft, start = Draft(), time.perf_counter()
        with self.failing_as(name, kind, work):
            yield draft
        ms = (time.perf_counter() - start) * 1e3 if draft.ms is None else draft.ms
        ended = report.Stage(
            name, draft.status, ms, draft.artifacts, kind, summary=draft.summary,
            compiler=draft.compiler, tables=draft.tables,
        )  # fmt: skip
        self.emit_stage(_of(work, ended))


def _of(work: Work | None, stage: report.Stage) -> report.Stage:
    return stage if work is None else structs.replace(stage, backend=work.backend.name)


@dataclass
class Draft:
    """What a stage will show: artifacts, tables, summary."""

    artifacts: list[report.Artifact] = field(default_factory=list)
    tables: list[report.Table] = field(default_factory=list)
    summary: str = ""
    status: report.StageStatus = "ok"
    # The compiler whose stage it is; blank for the core's.
    compiler: str = ""
    # Set where the stage measured itself better than its body's wall time says.
    ms: float | None = None
