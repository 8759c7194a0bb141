"""The events of a run, in the order in which they are emitted; `apply` applies each to a report."""

from typing import Literal

import msgspec
from msgspec import field

from compiler_core.report.figures import CompilerSummary
from compiler_core.report.findings import Finding, FusionDecision, FusionGroup, Trial
from compiler_core.report.graphs import Graph, PythonSegment
from compiler_core.report.kernels import Buffer, FusionRefusal, Kernel, Resources
from compiler_core.report.options import Options
from compiler_core.report.overrides import Overridden
from compiler_core.report.precision import KernelError
from compiler_core.report.program import Candidate, CapturedOp, Entry, GraphBreak
from compiler_core.report.results import Measurement, Numerics, Sample, Summary, Timing
from compiler_core.report.snippet import Device, Failure, Notice, Snippet
from compiler_core.report.stages import Stage
from compiler_core.report.timelines import Timeline
from compiler_core.report.vocabulary import Framework


class Started(msgspec.Struct, frozen=True, tag="started"):
    """The first event of a run: the snippet, the versions by package name, the device, the
    options."""

    snippet: Snippet
    toolchain: dict[str, str]
    device: Device
    options: Options


class Printed(msgspec.Struct, frozen=True, tag="printed"):
    """Text that the snippet printed."""

    stream: Literal["stdout", "stderr"]
    text: str


class Noticed(msgspec.Struct, frozen=True, tag="noticed"):
    """A remark on the run that is not an error."""

    notice: Notice


class SnippetFailed(msgspec.Struct, frozen=True, tag="snippet_failed"):
    """The snippet failed, or has no program. `candidates` are the functions and modules that it
    defines and for which no inputs were found."""

    error: Failure
    candidates: list[Candidate] = field(default_factory=list)


class ProgramFound(msgspec.Struct, frozen=True, tag="program_found"):
    """A program was found. Programs are numbered from 0 in this order."""

    program: int
    name: str
    framework: Framework
    entry: Entry
    inputs: list[str]
    # The backend that it runs on, "cpu" or "gpu".
    backend: str = ""
    # The call that was guessed where the snippet has none, in the form of the options' `inputs`.
    assumed: str = ""
    # The call as the options' `inputs` write it, "f(f32[8,16], 3)", the snippet's own where it has
    # one; blank where that cannot be written, as with an object among the arguments.
    called: str = ""


# The name of a stage for a run that waits for others; only a worker emits it.
ITS_TURN = "its turn"


class StageBegan(msgspec.Struct, frozen=True, tag="stage_began"):
    """Progress only: the stage that began, and the fraction of it that is done, from 0 to 1. It
    leaves no trace in the report."""

    program: int
    name: str
    detail: str = ""
    fraction: float | None = None


class StageDone(msgspec.Struct, frozen=True, tag="stage_done"):
    """A stage of a program ended, successfully or not."""

    program: int
    stage: Stage


class Facts(msgspec.Struct, frozen=True, tag="facts", omit_defaults=True):
    """Fields of a program, replaced as they become known; None leaves a field as it is.

    Where `graph`, `backend` or `compiler` is given, a list replaces only the entries of that graph,
    that backend's plan or that compiler, so that one plan's kernels can be emitted without knowing
    another's.
    """

    program: int
    graph_breaks: list[GraphBreak] | None = None
    kernels: list[Kernel] | None = None
    fusion_refusals: list[FusionRefusal] | None = None
    summary: Summary | None = None
    numerics: dict[str, Numerics] | None = None
    timings: dict[str, Timing] | None = None
    outputs: dict[str, list[list[Sample]]] | None = None
    nodes: list[CapturedOp] | None = None
    resources: list[Resources] | None = None
    buffers: list[Buffer] | None = None
    graphs: list[Graph] | None = None
    python: list[PythonSegment] | None = None
    inputs: list[str] | None = None
    kernel_errors: list[KernelError] | None = None
    findings: list[Finding] | None = None
    fusion_decisions: list[FusionDecision] | None = None
    compilers: list[CompilerSummary] | None = None
    fusion_groups: list[FusionGroup] | None = None
    timelines: list[Timeline] | None = None
    measurement: Measurement | None = None
    together: Trial | None = None
    overrides: list[Overridden] | None = None
    graph: str | None = None
    backend: str | None = None
    compiler: str | None = None


class ProgramFailed(msgspec.Struct, frozen=True, tag="program_failed"):
    """A program failed; the next one is compiled nevertheless."""

    program: int
    error: Failure


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """The last event of a run, unless the run was cut off; `protocol` says how times were
    measured."""

    protocol: str = ""


Event = (
    Started
    | Printed
    | Noticed
    | SnippetFailed
    | ProgramFound
    | StageBegan
    | StageDone
    | Facts
    | ProgramFailed
    | Finished
)
