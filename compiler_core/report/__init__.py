"""The types that the world sees: a report, the events that stream it, and the options of a run.

Nothing else in the project knows how these are written as JSON. `webapp` imports this package and
no other of `compiler_core`, the frontend's wire types are generated from it, and the worker
decodes what a sandboxed runner sends with it and with nothing else. Therefore: standard library
and msgspec only.

A report is never sent whole while it grows. The compiler emits events in order; `apply` applies
one event to a report, so `functools.reduce(apply, events, Report())` is the report, on every
side of every process boundary.
"""

import msgspec

from compiler_core.report.apply import apply, failed
from compiler_core.report.artifacts import Artifact, StoredText, Text
from compiler_core.report.compilers import (
    CHOICES,
    COMPILERS,
    REFERENCES,
    Compiler,
    CompilerChoice,
    CompilerInfo,
    mode_of,
    name_beside,
    package_of,
)
from compiler_core.report.differences import (
    ComparedLine,
    Comparison,
    ProgramComparison,
    StageDifference,
    compared,
)
from compiler_core.report.events import (
    ITS_TURN,
    Event,
    Facts,
    Finished,
    Noticed,
    Printed,
    ProgramFailed,
    ProgramFound,
    SnippetFailed,
    StageBegan,
    StageDone,
    Started,
)
from compiler_core.report.figures import (
    BY_DYNAMO,
    FIGURES,
    CompilerSummary,
    Figure,
    Phase,
    in_a_look,
    joined,
)
from compiler_core.report.findings import (
    Finding,
    FindingKind,
    FusionDecision,
    FusionGroup,
    Trial,
    TrialCounts,
    TrialTime,
)
from compiler_core.report.graphs import WHOLE, Graph, PythonSegment, Saved
from compiler_core.report.insides import INSIDES, Inside, InsideInfo
from compiler_core.report.kernels import Buffer, FusionRefusal, Kernel, Resources
from compiler_core.report.launches import Schedule, ScheduleCandidate
from compiler_core.report.measured import BASELINES, protocol
from compiler_core.report.merged import merged
from compiler_core.report.migrate import current, current_event, decode_report, form, migrate
from compiler_core.report.options import (
    DEVICES,
    MAX_DEVICES,
    MAX_SOURCE_BYTES,
    MAX_TRIALS_FIRST,
    NO_TARGET,
    DeviceChoice,
    Devices,
    Options,
    Target,
)
from compiler_core.report.overrides import (
    MAX_OVERRIDES,
    ForbiddenEdge,
    ForcedEdge,
    Overridden,
    Override,
    OverrideState,
    PlanChoice,
    WantedSchedule,
    WithoutPass,
    as_edge,
    as_schedule,
    spelled,
)
from compiler_core.report.placement import Holding, Mesh, MeshAxis, Placement, Shard
from compiler_core.report.precision import ErrorSize, KernelError, cancels, severity
from compiler_core.report.program import (
    Candidate,
    CapturedOp,
    Entry,
    GraphBreak,
    Program,
    Read,
    ran,
)
from compiler_core.report.report import SCHEMA, Report
from compiler_core.report.results import Measurement, Numerics, Sample, Summary, Timing
from compiler_core.report.snippet import Device, Failure, Notice, Output, Snippet
from compiler_core.report.source import is_module
from compiler_core.report.stages import Rewrite, Stage
from compiler_core.report.tables import Cell, Column, Row, Table, Unit
from compiler_core.report.texts import (
    counted,
    stored,
    with_artifacts,
    with_texts,
    without_text,
    without_texts,
)
from compiler_core.report.timelines import EventKind, Timeline, TimelineEvent
from compiler_core.report.vocabulary import (
    Framework,
    GraphRole,
    Language,
    Level,
    StageStatus,
    Status,
)
from compiler_core.report.writable import writable

__all__ = [
    "BASELINES",
    "BY_DYNAMO",
    "CHOICES",
    "COMPILERS",
    "DEVICES",
    "FIGURES",
    "INSIDES",
    "ITS_TURN",
    "MAX_DEVICES",
    "MAX_OVERRIDES",
    "MAX_SOURCE_BYTES",
    "MAX_TRIALS_FIRST",
    "NO_TARGET",
    "REFERENCES",
    "SCHEMA",
    "WHOLE",
    "Artifact",
    "Buffer",
    "Candidate",
    "CapturedOp",
    "Cell",
    "Column",
    "ComparedLine",
    "Comparison",
    "Compiler",
    "CompilerChoice",
    "CompilerInfo",
    "CompilerSummary",
    "Device",
    "DeviceChoice",
    "Devices",
    "Entry",
    "ErrorSize",
    "Event",
    "EventKind",
    "Facts",
    "Failure",
    "Figure",
    "Finding",
    "FindingKind",
    "Finished",
    "ForbiddenEdge",
    "ForcedEdge",
    "Framework",
    "FusionDecision",
    "FusionGroup",
    "FusionRefusal",
    "Graph",
    "GraphBreak",
    "GraphRole",
    "Holding",
    "Inside",
    "InsideInfo",
    "Kernel",
    "KernelError",
    "Language",
    "Level",
    "Measurement",
    "Mesh",
    "MeshAxis",
    "Notice",
    "Noticed",
    "Numerics",
    "Options",
    "Output",
    "Overridden",
    "Override",
    "OverrideState",
    "Phase",
    "Placement",
    "PlanChoice",
    "Printed",
    "Program",
    "ProgramComparison",
    "ProgramFailed",
    "ProgramFound",
    "PythonSegment",
    "Read",
    "Report",
    "Resources",
    "Rewrite",
    "Row",
    "Sample",
    "Saved",
    "Schedule",
    "ScheduleCandidate",
    "Shard",
    "Snippet",
    "SnippetFailed",
    "Stage",
    "StageBegan",
    "StageDifference",
    "StageDone",
    "StageStatus",
    "Started",
    "Status",
    "StoredText",
    "Summary",
    "Table",
    "Target",
    "Text",
    "Timeline",
    "TimelineEvent",
    "Timing",
    "Trial",
    "TrialCounts",
    "TrialTime",
    "Unit",
    "WantedSchedule",
    "WithoutPass",
    "apply",
    "as_edge",
    "as_schedule",
    "cancels",
    "compared",
    "counted",
    "current",
    "current_event",
    "decode_event",
    "decode_report",
    "encode_event",
    "encode_report",
    "failed",
    "form",
    "in_a_look",
    "is_module",
    "joined",
    "merged",
    "migrate",
    "mode_of",
    "name_beside",
    "package_of",
    "protocol",
    "ran",
    "severity",
    "spelled",
    "stored",
    "with_artifacts",
    "with_texts",
    "without_text",
    "without_texts",
    "writable",
]

encode_event = msgspec.json.Encoder().encode
decode_event = msgspec.json.Decoder(Event).decode
encode_report = msgspec.json.Encoder().encode
