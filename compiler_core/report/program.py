"""One program of a snippet: its stages, kernels, refusals, buffers, numbers and times.

Kernels, refusals, buffers and resources carry the `graph` and the `backend` that they are of:
kernels and buffers are named uniquely in a graph's plan for a backend, not beyond.
"""

from typing import Literal

import msgspec
from msgspec import field

from compiler_core.report.artifacts import Artifact
from compiler_core.report.figures import CompilerSummary
from compiler_core.report.findings import Finding, FusionDecision, FusionGroup, Trial
from compiler_core.report.graphs import WHOLE, Graph, PythonSegment
from compiler_core.report.launches import Schedule, ScheduleCandidate
from compiler_core.report.placement import Placement
from compiler_core.report.precision import KernelError
from compiler_core.report.snippet import Failure
from compiler_core.report.tables import Table
from compiler_core.report.timelines import Timeline
from compiler_core.report.vocabulary import Framework, StageStatus, Status


class Entry(msgspec.Struct, frozen=True):
    """Where a program stands in the snippet: the line of its function or call."""

    line: int | None = None


class GraphBreak(msgspec.Struct, frozen=True):
    """Where TorchDynamo left the graph for Python, and why."""

    reason: str
    line: int | None = None


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
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that it makes or prints, "cpu" or "gpu"; blank where it is of no single one.
    backend: str = ""
    # Whose stage it is: an id of the insides, or of a reference compiler; blank of the core's.
    compiler: str = ""
    # The name of the stage of the same compiler and graph that it hangs under; blank at the top.
    parent: str = ""
    tables: list[Table] = field(default_factory=list)
    # Of a program on a mesh of devices: who holds what of its arguments and results.
    placement: Placement | None = None
    # Of a stage with "before" and "after": the fewest lines to add to the one and to remove from it
    # that make the other. None where nobody has counted.
    added: int | None = None
    removed: int | None = None


class Rewrite(msgspec.Struct, frozen=True):
    """One rule applied once: its name and law, the text before and after, and the nodes' ids."""

    rule: str
    law: str
    before: str
    after: str
    nodes: list[int] = field(default_factory=list)


class Kernel(msgspec.Struct, frozen=True):
    """One launch: a generated kernel, or a library call where `library` says which. A loop or a
    branch (`kind` while, scan, case or call) is followed by the launches of its regions, which are
    named after it: k2_scan, k2_body_k0_tanh. Numbers are those of the plan's steps and may be left
    out: a launch that stands for several steps has the number of the last, and a step that nobody
    reads is not launched."""

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
    # Of a library call, why it is one: the reason of its schedule. Blank of a generated kernel.
    reason: str = ""
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that it belongs to, "cpu" or "gpu"; blank where there is only one.
    backend: str = ""
    # What was chosen for this launch, among which candidates; the chosen one is one of them.
    schedule: Schedule | None = None
    candidates: list[ScheduleCandidate] = field(default_factory=list)
    # Where one choice made several launches (a product and what runs after it, the parts of a
    # split reduction): the ids of all of them, in order. Their candidates are the same, and a
    # cost is that of all together.
    chosen_with: list[str] = field(default_factory=list)
    # The launch, the first in the same graph's plan, that does the same to other buffers: its texts
    # and its machine code are this one's as well. Blank of that launch itself, and of one that is
    # equal to none.
    same_as: str = ""
    # Ids of the values of its graph's IR, after the last pass, that it computes: `%12` has 12. What
    # two launches compute, each for itself, is of both.
    values: list[int] = field(default_factory=list)


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
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that the kernel belongs to, "cpu" or "gpu"; blank where there is only one.
    backend: str = ""


class FusionRefusal(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """An edge (or pair of siblings) that was not fused, and why, with the model's numbers."""

    from_: str
    to: str
    reason: str
    nodes: list[int] = field(default_factory=list)
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that it belongs to, "cpu" or "gpu"; blank where there is only one.
    backend: str = ""
    # The two values of the IR after the last pass, the one that is read first; None where it is of
    # two launches as a whole.
    from_value: int | None = None
    to_value: int | None = None


class Buffer(msgspec.Struct, frozen=True):
    """One buffer of a memory plan: alive from step `first` to step `last`, at `offset` bytes; None
    for what is not the plan's to place: inputs, results, constants."""

    name: str
    type: str
    bytes: int
    offset: int | None
    first: int
    last: int
    nodes: list[int] = field(default_factory=list)
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that it belongs to, "cpu" or "gpu"; blank where there is only one.
    backend: str = ""
    # Whose memory plan it is of; blank for the core's.
    compiler: str = ""


class Summary(msgspec.Struct, frozen=True):
    """Counts over the whole program, eager against core; bytes are those read and written by
    launches."""

    ops_captured: int = 0
    ops_final: int = 0
    launches_eager: int = 0
    launches_core: int = 0
    bytes_eager: int = 0
    bytes_core: int = 0
    # Share of launches, matmul and convolution left out, that are generated kernels; 1.0 where
    # nothing fell back. What the framework runs itself, where a function stayed in Python, counts
    # as its launches.
    native_share: float = 0.0
    # Of the launches, of both, those that the framework makes itself, in what became no graph.
    launches_outside: int = 0


class Numerics(msgspec.Struct, frozen=True):
    """Error against the same program in float64, the largest over all outputs. None where it is no
    number: an infinity or a NaN that only one of the two has."""

    max_abs_error: float | None
    max_rel_error: float | None
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
    # Of a compiler whose outputs the numerics call wrong: "wrong result", whatever its time. Of the
    # core where no part of the program became a graph: "not compiled".
    verdict: Literal[
        "faster", "slower", "same within noise", "below the physical floor", "wrong result",
        "not compiled", "",
    ] = ""  # fmt: skip
    # After how many calls compiling has paid for itself; None where it never does.
    pays_after_calls: int | None = None
    samples_us: list[float] = field(default_factory=list)


class Read(msgspec.Struct, frozen=True):
    """That a captured operation reads what another, `node`, made; the bytes of that value at the
    sizes of the call."""

    node: int
    bytes: int


class CapturedOp(msgspec.Struct, frozen=True):
    """A captured operation: the id that every line map speaks of, and its place in the snippet.

    Ids are unique in a program, over all its graphs.
    """

    id: int
    op: str
    line: int | None = None
    column: int | None = None
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The edges of the captured graph that end here; those within one operation are left out.
    reads: list[Read] = field(default_factory=list)


class Program(msgspec.Struct):
    """One compiled call of the snippet."""

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
    nodes: list[CapturedOp] = field(default_factory=list)
    resources: list[Resources] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    # The program's inputs as specs: ["f32[B=4096,1024]", "f32[1024]"]. A size with
    # a name varies; of one that was to vary and does not, a notice says why.
    inputs: list[str] = field(default_factory=list)
    # The root first, then its parts in the order in which they run.
    graphs: list[Graph] = field(default_factory=list)
    # What Python runs between the graphs, in order.
    python: list[PythonSegment] = field(default_factory=list)
    # The backend whose plan ran and was measured, "cpu" or "gpu"; blank where that is not known.
    backend: str = ""
    # Of each value that the launches of what ran leave in memory, in order; the summary of the
    # stage "precision" says where they are left out, and why.
    kernel_errors: list[KernelError] = field(default_factory=list)
    # The call that was assumed, "MLP(256, 10)(f32[128,256])", where the snippet calls nothing and
    # nobody gave its inputs: given as the inputs of the options, it is run again. Blank otherwise.
    assumed: str = ""
    # Why it is not faster: what the compilers that were looked into did, with the snippet's lines.
    findings: list[Finding] = field(default_factory=list)
    # All remedies that were offered, put into the snippet together; None where fewer than two were.
    together: Trial | None = None
    # What each of them fused and what not.
    fusion_decisions: list[FusionDecision] = field(default_factory=list)
    # What each compiler that ran it or was looked into made of it, as numbers.
    compilers: list[CompilerSummary] = field(default_factory=list)
    # What each of them runs as one, in the order in which it runs where that is known.
    fusion_groups: list[FusionGroup] = field(default_factory=list)
    # Where the time of one call goes, where that was asked for.
    timelines: list[Timeline] = field(default_factory=list)


class Candidate(msgspec.Struct, frozen=True):
    """A function or module for which no inputs were found, with the guess that came furthest."""

    name: str
    line: int
    parameters: list[str]
    inputs: str
