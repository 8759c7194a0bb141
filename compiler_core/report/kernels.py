"""A plan's launches, their resources on a GPU, its buffers, and the fusions that were refused.

Each entry carries its `graph` and its `backend`: the names of kernels and buffers are unique within
one graph's plan for one backend.
"""

from typing import Literal

import msgspec
from msgspec import field

from compiler_core.report.graphs import WHOLE
from compiler_core.report.launches import Schedule, ScheduleCandidate
from compiler_core.report.reasons import RefusalKind


class Kernel(msgspec.Struct, frozen=True):
    """One launch: a generated kernel, or a call of the library that `library` names. A loop or a
    branch (`kind` while, scan, case or call) is followed by the launches of its regions, which are
    named after it: k2_scan, k2_body_k0_tanh. The numbers in ids are those of the plan's steps. They
    have gaps: a launch for several steps has the number of the last, and a step whose result is not
    read is not launched."""

    id: str
    kind: str
    library: str | None
    ops: list[str]
    bytes_read: int
    bytes_written: int
    # Lines of the snippet, 1-based.
    lines: list[int]
    # Ids of the captured operations that it computes, the selection key.
    nodes: list[int] = field(default_factory=list)
    flops: int = 0
    # For a library call, why it is one: the reason of its schedule. Blank for a generated kernel.
    reason: str = ""
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that it belongs to, "cpu" or "gpu"; blank where there is only one.
    backend: str = ""
    # The schedule that was chosen, and the candidates that were considered, it among them.
    schedule: Schedule | None = None
    candidates: list[ScheduleCandidate] = field(default_factory=list)
    # Where one choice covers several launches (a matmul and its epilogue, the parts of a split
    # reduction): the ids of all of them, in order. They have the same candidates, and a cost is
    # that of all of them together.
    chosen_with: list[str] = field(default_factory=list)
    # The first launch in the same graph's plan that runs the same code on other buffers, whose
    # texts and machine code are also this one's. Blank for that launch itself, and where there is
    # none.
    same_as: str = ""
    # Ids of the values that it computes, in its graph's IR after the last pass: `%12` has 12. A
    # value that two launches compute, each for itself, is in both.
    values: list[int] = field(default_factory=list)
    # What overrides call it: the last of the values that it writes, or that the launches of its
    # choice write. Its id may be another in the next run.
    result: str = ""


class Resources(msgspec.Struct, frozen=True):
    """What offline compilation reports for one Triton kernel on one target. Registers are per
    thread, spills in registers per thread, shared memory in bytes per block."""

    kernel: str
    target: str
    registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None
    num_warps: int | None = None
    # Roofline estimate in microseconds: max(bytes / bandwidth, flops / peak) plus the time of a
    # launch.
    estimate_us: float | None = None
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that the kernel belongs to, "cpu" or "gpu"; blank where there is only one.
    backend: str = ""


class FusionRefusal(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """An edge between two operations, or a pair that reads the same value, that was not fused, and
    why, with the cost model's numbers."""

    from_: str
    to: str
    reason: str
    nodes: list[int] = field(default_factory=list)
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that it belongs to, "cpu" or "gpu"; blank where there is only one.
    backend: str = ""
    # The ids of the two values in the IR after the last pass, the producer first; None where the
    # refusal concerns two launches as a whole.
    from_value: int | None = None
    to_value: int | None = None
    # The captured operations of each value that `reason` mentions, by the value's number: of "%9
    # (reduce)" those at "9".
    named: dict[str, list[int]] = field(default_factory=dict)
    # The kind of the reason, which many sentences share. Blank in reports from before there were
    # kinds.
    kind: RefusalKind | Literal[""] = ""


class Buffer(msgspec.Struct, frozen=True):
    """One buffer of a memory plan, live from step `first` to step `last`, both inclusive, at
    `offset` bytes of the workspace; `offset` is None for inputs, results and constants, which the
    plan does not place."""

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
    # The compiler whose memory plan it belongs to; blank for the core's.
    compiler: str = ""
    # Of a new value of an input that is written into the input's memory: that buffer's name.
    over: str = ""
