"""What compilers did otherwise than a person may have hoped, and why: the entries of the why-list,
and what each compiler decided of two operations, fused or not."""

from typing import Literal

import msgspec
from msgspec import field

from compiler_core.report.graphs import WHOLE

FindingKind = Literal[
    "graph break",
    "recompile",
    "unrolled",
    "specialised",
    "not fused",
    "library call",
    "layout copy",
    "host sync",
    "precision",
    "traced again",
    "not compiled",
    "kept for backward",
    "replicated",
    "resharded",
    "failed",
]


class TrialTime(msgspec.Struct, frozen=True):
    """A program by one compiler, as the snippet had it and with the remedy, measured in one
    interleaved run: medians and quartiles in microseconds of a call; of `first_calls`, of all of
    the snippet's different calls together, made in a process that has compiled none of them."""

    compiler: str
    before_us: float
    before_p25_us: float
    before_p75_us: float
    after_us: float
    after_p25_us: float
    after_p75_us: float
    # The median before over that after, with the bootstrap's 95 % interval.
    speedup: float
    speedup_low: float
    speedup_high: float
    verdict: Literal["faster", "slower", "same within noise"]
    samples: int
    first_calls: bool = False


class TrialCounts(msgspec.Struct, frozen=True):
    """What compilers made of a program; None where that is not known."""

    graphs: int | None = None
    breaks: int | None = None
    kernels: int | None = None
    # For the snippet's different calls, from the first on.
    compilations: int | None = None
    # The core's capture and compile time.
    compile_ms: float | None = None


class Trial(msgspec.Struct, frozen=True):
    """A remedy that was tried: the whole snippet as changed, and what it was then. Blank `source`:
    none is offered, and the summary says why: there is no change of the text for it, the changed
    program failed, or it gave other results."""

    source: str
    # The median of the program's time before, over that after, by the first of `times`; None where
    # it was not timed.
    speedup: float | None = None
    # What was changed and what that brought, in one sentence: "2 graphs become 1".
    summary: str = ""
    times: list[TrialTime] = field(default_factory=list)
    before: TrialCounts = TrialCounts()
    after: TrialCounts = TrialCounts()


class Finding(msgspec.Struct, frozen=True):
    """One entry of the why-list: what happened at a line, why in plain words, what to do."""

    kind: FindingKind
    # Who did it: an id of the compilers or of the insides.
    compiler: str
    # What happened, in one sentence that names the thing.
    what: str
    why: str = ""
    remedy: str = ""
    # The line of the snippet, 1-based, and its column, 0-based.
    line: int | None = None
    column: int | None = None
    # The snippet's lines that led there, outermost first.
    stack: list[int] = field(default_factory=list)
    # Ids of the captured operations, the selection key.
    nodes: list[int] = field(default_factory=list)
    # What it costs in each call where that is known: bytes moved, microseconds; and milliseconds
    # of compile time.
    bytes: int | None = None
    us: float | None = None
    compile_ms: float | None = None
    # How often it happened.
    count: int = 1
    # The compiler's own words, where `what` and `why` are a plainer text of them.
    raw: str = ""
    # The compiler's own name for what is of this kind: TorchDynamo's type of a graph break.
    category: str = ""
    trial: Trial | None = None
    graph: str = WHOLE


class FusionGroup(msgspec.Struct, frozen=True):
    """What one compiler runs as one: a kernel that it generated, or a call of a library."""

    # Who did it: an id of the insides.
    compiler: str
    # The compiler's own name.
    name: str
    # The compiler's own word for what it is: "reduction", "kLoop", "call of extern_kernels.mm".
    kind: str = ""
    # Ids of the captured operations in it; one may be in several.
    nodes: list[int] = field(default_factory=list)
    # Bytes read and written; None where that is not known.
    bytes: int | None = None
    graph: str = WHOLE
    # The device that it was compiled for, "cpu" or "gpu", where one compiler is shown for both.
    backend: str = ""


class FusionDecision(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """What one compiler made of two of its units of work: in one kernel, or not and why."""

    compiler: str
    # The compiler's own names.
    from_: str
    to: str
    fused: bool
    # The compiler's own reason where it refused, or the kind of the fusion.
    reason: str = ""
    # Ids of the captured operations on the two sides.
    from_nodes: list[int] = field(default_factory=list)
    to_nodes: list[int] = field(default_factory=list)
    # Bytes that go from one to the other, or that both read; None where that is not known.
    bytes: int | None = None
    graph: str = WHOLE
    # The device that it was compiled for, "cpu" or "gpu", where one compiler is shown for both.
    backend: str = ""
