"""The types that the world sees: a report, the events that stream it, and the options of a run.

Nothing else in the project knows how these are written as JSON. `webapp` imports this module and
no other of `compiler_core`, the frontend's wire types are generated from it, and the worker
decodes what a sandboxed runner sends with it and with nothing else. Therefore: standard library
and msgspec only.

A report is never sent whole while it grows. The compiler emits events in order; `apply` folds
one event into a report, so `functools.reduce(apply, events, Report())` is the report, on every
side of every border.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

SCHEMA = 1

Framework = Literal["torch", "jax"]
Status = Literal["ok", "failed"]
StageStatus = Literal["ok", "failed", "skipped"]
Level = Literal["info", "warning", "error"]
Language = Literal[
    "fuselab", "python", "aten", "jaxpr", "stablehlo", "c", "mlir", "llvm", "ptx", "sass", "text"
]
# What runs a program. `eager` is always measured; the others on request.
Compiler = Literal["eager", "core", "inductor", "xla"]
Target = Literal["auto", "sm_80", "sm_90", "sm_100", "gfx942"]
DeviceChoice = Literal["auto", "cpu", "cuda"]

MAX_SOURCE_BYTES = 256 * 1024


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person may ask of a run. Every field has a default."""

    # Inputs of a plain function, one spec an argument: "f32[32,512], i64[], f32[512]".
    inputs: Annotated[str, Meta(max_length=4000)] = ""
    # Where programs run and are measured. auto: the GPU if there is one.
    device: DeviceChoice = "auto"
    # The GPU that Triton is compiled for. auto: the machine's own, else sm_90.
    target: Target = "auto"
    # Beside `eager`.
    compilers: Annotated[tuple[Literal["core", "inductor", "xla"], ...], Meta(max_length=3)] = (
        "core",
    )
    measure: bool = True


class Snippet(msgspec.Struct, frozen=True):
    sha256: str = ""
    source: str = ""


class Device(msgspec.Struct, frozen=True):
    kind: str = "cpu"
    name: str = ""
    threads: int = 1


class Output(msgspec.Struct):
    """What the snippet printed; capped by the runner, which says so in a notice."""

    stdout: str = ""
    stderr: str = ""


class Notice(msgspec.Struct, frozen=True):
    level: Level
    text: str
    line: int | None = None


class Failure(msgspec.Struct, frozen=True):
    """Why a stage stopped: one sentence, the snippet's own line, and what to do about it."""

    stage: str
    message: str
    line: int | None = None
    remedy: str = ""
    # The traceback cut to the snippet's own lines, where there is one.
    traceback: str = ""


class Entry(msgspec.Struct, frozen=True):
    line: int | None = None


class GraphBreak(msgspec.Struct, frozen=True):
    reason: str
    line: int | None = None


class Artifact(msgspec.Struct, frozen=True):
    """One text that a stage made.

    `nodes` is the line map: for each line of `text`, the ids of the captured operations that the
    line comes from, the selection key of every pane. It is empty where a text has no map.
    """

    name: str
    # "ir", "captured", "loops", "triton", "c", "ttir", "ttgir", "llir", "ptx", "sass", ...
    kind: str
    language: Language
    text: str
    nodes: list[list[int]] = field(default_factory=list)
    # The kernel that the text belongs to, where it belongs to one.
    kernel: str | None = None


class Stage(msgspec.Struct, frozen=True):
    """One stage or pass. A pass that changed nothing has `changed` false and no artifacts;
    one that did has the artifacts "before" and "after" (the former is the previous one's after)."""

    name: str
    status: StageStatus
    ms: float
    artifacts: list[Artifact] = field(default_factory=list)
    # The room it belongs to: "capture", "pass", "fuse", "schedule", "codegen", "compile", ...
    kind: str = ""
    changed: bool = True
    # One line for a person: "8 rewrites", "3 kernels", why it was skipped.
    summary: str = ""
    rewrites: list["Rewrite"] = field(default_factory=list)


class Rewrite(msgspec.Struct, frozen=True):
    """One rule applied once: its name and law, and the nodes it made from which nodes."""

    rule: str
    law: str
    before: str
    after: str
    nodes: list[int] = field(default_factory=list)


class Kernel(msgspec.Struct, frozen=True):
    """One launch: a generated kernel, or a library call where `library` says which."""

    id: str
    kind: str
    library: str | None
    ops: list[str]
    bytes_read: int
    bytes_written: int
    # Lines of the snippet, 1-based.
    lines: list[int]
    # Ids of the captured operations in it, the selection key.
    nodes: list[int] = field(default_factory=list)
    flops: int = 0
    # "matmul: the vendor's library" and the like: why it is a library call and not ours.
    reason: str = ""


class Resources(msgspec.Struct, frozen=True):
    """What offline compilation says of one Triton kernel on one target."""

    kernel: str
    target: str
    registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None
    num_warps: int | None = None
    # Roofline estimate: max(bytes / bandwidth, flops / peak), plus a launch.
    estimate_us: float | None = None


class FusionRefusal(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """An edge (or pair of siblings) that was not fused, and why, with the model's numbers."""

    from_: str
    to: str
    reason: str
    nodes: list[int] = field(default_factory=list)


class Buffer(msgspec.Struct, frozen=True):
    """One buffer of the memory plan: alive from step `first` to step `last`, at `offset` bytes."""

    name: str
    type: str
    bytes: int
    offset: int | None
    first: int
    last: int
    nodes: list[int] = field(default_factory=list)


class Summary(msgspec.Struct, frozen=True):
    ops_captured: int = 0
    ops_final: int = 0
    launches_eager: int = 0
    launches_core: int = 0
    bytes_eager: int = 0
    bytes_core: int = 0
    # Share of launches, matmul and convolution left out, that are generated kernels; 1.0 where
    # nothing fell back.
    native_share: float = 0.0


class Numerics(msgspec.Struct, frozen=True):
    """Error against the same program in float64, the largest over all outputs."""

    max_abs_error: float
    max_rel_error: float
    ok: bool
    # What `ok` was held against: "at most 2 x eager's error or the dtype's tolerance".
    rule: str = ""
    error: str = ""


class Timing(msgspec.Struct, frozen=True):
    """Interleaved samples of one compiler; times in microseconds and milliseconds as named."""

    median_us: float
    p25_us: float
    p75_us: float
    samples: int
    capture_ms: float | None = None
    compile_ms: float | None = None
    first_call_ms: float | None = None
    # eager's median / this one's, with the bootstrap's 95 % interval; None for eager itself.
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    verdict: Literal["faster", "slower", "same within noise", "below the physical floor", ""] = ""
    # After how many calls compiling has paid for itself; None where it never does.
    pays_after_calls: int | None = None
    samples_us: list[float] = field(default_factory=list)


class Node(msgspec.Struct, frozen=True):
    """A captured operation: the id that every line map speaks of, and its place in the snippet."""

    id: int
    op: str
    line: int | None = None
    column: int | None = None


class Program(msgspec.Struct):
    name: str
    framework: Framework
    entry: Entry = Entry()
    status: Status = "ok"
    error: Failure | None = None
    graph_breaks: list[GraphBreak] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)
    fusion_refusals: list[FusionRefusal] = field(default_factory=list)
    summary: Summary = Summary()
    numerics: dict[str, Numerics] = field(default_factory=dict)
    timings: dict[str, Timing] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    resources: list[Resources] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    # The programs' inputs as specs: ["f32[4096,1024]", "f32[1024]"].
    inputs: list[str] = field(default_factory=list)


class Candidate(msgspec.Struct, frozen=True):
    """A function or module found in a snippet that names no inputs, with a guess at them."""

    name: str
    line: int
    parameters: list[str]
    inputs: str


class Report(msgspec.Struct):
    schema: int = SCHEMA
    snippet: Snippet = Snippet()
    toolchain: dict[str, str] = field(default_factory=dict)
    device: Device = Device()
    output: Output = field(default_factory=Output)
    notices: list[Notice] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    # Why the snippet itself failed, before or beside its programs.
    error: Failure | None = None
    candidates: list[Candidate] = field(default_factory=list)
    # When and how it was measured: "60 interleaved samples, 2 threads, ...".
    protocol: str = ""
    options: Options = Options()


# -- the events ---------------------------------------------------------------------------------


class Started(msgspec.Struct, frozen=True, tag="started"):
    snippet: Snippet
    toolchain: dict[str, str]
    device: Device
    options: Options


class Printed(msgspec.Struct, frozen=True, tag="printed"):
    stream: Literal["stdout", "stderr"]
    text: str


class Noticed(msgspec.Struct, frozen=True, tag="noticed"):
    notice: Notice


class SnippetFailed(msgspec.Struct, frozen=True, tag="snippet_failed"):
    error: Failure
    candidates: list[Candidate] = field(default_factory=list)


class ProgramFound(msgspec.Struct, frozen=True, tag="program_found"):
    """Programs are numbered from 0 in the order in which they are found."""

    program: int
    name: str
    framework: Framework
    entry: Entry
    inputs: list[str]


class StageBegan(msgspec.Struct, frozen=True, tag="stage_began"):
    """Progress only: what is being done now. Leaves no trace in the report."""

    program: int
    name: str
    detail: str = ""
    fraction: float | None = None


class StageDone(msgspec.Struct, frozen=True, tag="stage_done"):
    program: int
    stage: Stage


class Facts(msgspec.Struct, frozen=True, tag="facts", omit_defaults=True):
    """Fields of a program, replaced as they become known; None leaves a field as it is."""

    program: int
    graph_breaks: list[GraphBreak] | None = None
    kernels: list[Kernel] | None = None
    fusion_refusals: list[FusionRefusal] | None = None
    summary: Summary | None = None
    numerics: dict[str, Numerics] | None = None
    timings: dict[str, Timing] | None = None
    nodes: list[Node] | None = None
    resources: list[Resources] | None = None
    buffers: list[Buffer] | None = None


class ProgramFailed(msgspec.Struct, frozen=True, tag="program_failed"):
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

_FACTS = tuple(name for name in Facts.__struct_fields__ if name != "program")


def apply(report: Report, event: Event) -> Report:
    """`report` with `event` folded in; the report is changed in place and returned.

    Raises IndexError for a program that was not announced.
    """
    match event:
        case Started():
            report.snippet, report.toolchain = event.snippet, event.toolchain
            report.device, report.options = event.device, event.options
        case Printed(stream="stdout"):
            report.output.stdout += event.text
        case Printed():
            report.output.stderr += event.text
        case Noticed():
            report.notices.append(event.notice)
        case SnippetFailed():
            report.error, report.candidates = event.error, event.candidates
        case ProgramFound():
            if event.program != len(report.programs):
                raise IndexError(f"program {event.program} announced out of order")
            report.programs.append(
                Program(event.name, event.framework, event.entry, inputs=event.inputs)
            )
        case StageBegan():
            pass
        case StageDone():
            report.programs[event.program].stages.append(event.stage)
        case Facts():
            program = report.programs[event.program]
            for name in _FACTS:
                value = getattr(event, name)
                if value is not None:
                    setattr(program, name, value)
        case ProgramFailed():
            program = report.programs[event.program]
            program.status, program.error = "failed", event.error
        case Finished():
            report.protocol = event.protocol
    return report


def failed(report: Report) -> bool:
    """Whether the snippet or one of its programs failed: exit code 1 of the command line."""
    return report.error is not None or any(p.status == "failed" for p in report.programs)


encode_event = msgspec.json.Encoder().encode
decode_event = msgspec.json.Decoder(Event).decode
encode_report = msgspec.json.Encoder().encode
decode_report = msgspec.json.Decoder(Report).decode
