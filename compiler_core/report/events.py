"""The events of a run."""

from typing import Literal

import msgspec
from msgspec import field

from compiler_core.report.figures import CompilerSummary
from compiler_core.report.findings import Finding, FusionDecision, FusionGroup, Trial
from compiler_core.report.graphs import Graph, PythonSegment
from compiler_core.report.options import Options
from compiler_core.report.precision import KernelError
from compiler_core.report.program import (
    Buffer,
    Candidate,
    CapturedOp,
    Entry,
    FusionRefusal,
    GraphBreak,
    Kernel,
    Numerics,
    Resources,
    Stage,
    Summary,
    Timing,
)
from compiler_core.report.snippet import Device, Failure, Notice, Snippet
from compiler_core.report.timelines import Timeline
from compiler_core.report.vocabulary import Framework


class Started(msgspec.Struct, frozen=True, tag="started"):
    """The first event of a run: what is run, by which versions, where."""

    snippet: Snippet
    toolchain: dict[str, str]
    device: Device
    options: Options


class Printed(msgspec.Struct, frozen=True, tag="printed"):
    """Text that the snippet printed."""

    stream: Literal["stdout", "stderr"]
    text: str


class Noticed(msgspec.Struct, frozen=True, tag="noticed"):
    """A remark that is no error."""

    notice: Notice


class SnippetFailed(msgspec.Struct, frozen=True, tag="snippet_failed"):
    """The snippet has no program that could be compiled; `candidates` are what might have been
    meant."""

    error: Failure
    candidates: list[Candidate] = field(default_factory=list)


class ProgramFound(msgspec.Struct, frozen=True, tag="program_found"):
    """Programs are numbered from 0 in the order in which they are found."""

    program: int
    name: str
    framework: Framework
    entry: Entry
    inputs: list[str]
    # The backend that it runs on, "cpu" or "gpu".
    backend: str = ""
    # The call that was assumed where the snippet has none, as the inputs of the options write it.
    assumed: str = ""


class StageBegan(msgspec.Struct, frozen=True, tag="stage_began"):
    """Progress only: what is being done now. Leaves no trace in the report."""

    program: int
    name: str
    detail: str = ""
    fraction: float | None = None


class StageDone(msgspec.Struct, frozen=True, tag="stage_done"):
    """A stage of a program ended, well or not."""

    program: int
    stage: Stage


class Facts(msgspec.Struct, frozen=True, tag="facts", omit_defaults=True):
    """Fields of a program, replaced as they become known; None leaves a field as it is.

    Where `graph`, `backend` or `compiler` is given, of the entries that carry it only those of that
    graph, of that backend's plan or of that compiler are replaced: a plan tells its kernels without
    knowing the others'.
    """

    program: int
    graph_breaks: list[GraphBreak] | None = None
    kernels: list[Kernel] | None = None
    fusion_refusals: list[FusionRefusal] | None = None
    summary: Summary | None = None
    numerics: dict[str, Numerics] | None = None
    timings: dict[str, Timing] | None = None
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
    together: Trial | None = None
    graph: str | None = None
    backend: str | None = None
    compiler: str | None = None


class ProgramFailed(msgspec.Struct, frozen=True, tag="program_failed"):
    """A program ended early; the next one follows."""

    program: int
    error: Failure


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """The last event of a run that was not cut off."""

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
