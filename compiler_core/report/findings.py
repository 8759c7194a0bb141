"""The entries of the why-list, which is what compilers did otherwise than hoped for; remedies that
were tried for them; and each compiler's fusion decisions."""

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
    """The times of one compiler before and after a remedy, measured interleaved: the median and the
    quartiles, in microseconds, of one call. With `first_calls`, they are of the snippet's different
    calls together, each compiled anew."""

    compiler: str
    before_us: float
    before_p25_us: float
    before_p75_us: float
    after_us: float
    after_p25_us: float
    after_p75_us: float
    # The median before divided by that after, with the bootstrap's 95 % interval.
    speedup: float
    speedup_low: float
    speedup_high: float
    verdict: Literal["faster", "slower", "same within noise"]
    samples: int
    first_calls: bool = False


class TrialCounts(msgspec.Struct, frozen=True):
    """What compilers made of a program before or after a remedy; None where it is not known."""

    graphs: int | None = None
    breaks: int | None = None
    kernels: int | None = None
    # How often the snippet's different calls compiled, the first call included.
    compilations: int | None = None
    # The core's time to capture and compile, in milliseconds.
    compile_ms: float | None = None


class Trial(msgspec.Struct, frozen=True):
    """A remedy that was tried: `source` is the text of the whole snippet with it. It is blank if
    the remedy is not offered; the summary then says why: the text cannot be changed so, the changed
    program failed, or its results differ."""

    source: str
    # The speedup of the first of `times`; None if it was not timed.
    speedup: float | None = None
    # What was changed and what it brought, in one sentence: "2 graphs become 1".
    summary: str = ""
    times: list[TrialTime] = field(default_factory=list)
    before: TrialCounts = TrialCounts()
    after: TrialCounts = TrialCounts()
    # Whether there was no time for it, or not enough: the option `trials_first` has it tried before
    # others, and for longer.
    left_out: bool = False

    @property
    def is_faster(self) -> bool:
        """Whether it was, with any compiler, beyond noise."""
        return any(time.verdict == "faster" for time in self.times)


class Finding(msgspec.Struct, frozen=True):
    """One entry of the why-list: what happened at a line, why in plain words, what to do."""

    kind: FindingKind
    # The compiler or inside that did it, by id.
    compiler: str
    # What happened, in one sentence.
    what: str
    why: str = ""
    remedy: str = ""
    # The line of the snippet, 1-based, and its column, 0-based.
    line: int | None = None
    column: int | None = None
    # The snippet's lines on the call stack, 1-based, outermost first.
    stack: list[int] = field(default_factory=list)
    # Ids of the captured operations, the selection key.
    nodes: list[int] = field(default_factory=list)
    # What it costs where that is known: bytes moved and microseconds in each call, and milliseconds
    # of compile time. Of a graph break: what its remedy saved, else what Python takes from the end
    # of its graph to the next. Of a wait for the device: what it takes with torch.
    bytes: int | None = None
    us: float | None = None
    compile_ms: float | None = None
    # How often it happened.
    count: int = 1
    # The compiler's own message, where `what` and `why` put it in plain words.
    raw: str = ""
    # The compiler's own category, such as TorchDynamo's type of a graph break.
    category: str = ""
    trial: Trial | None = None
    graph: str = WHOLE


class FusionGroup(msgspec.Struct, frozen=True):
    """A unit that one compiler runs as a whole: a kernel that it generated, or a library call."""

    # The inside, by id.
    compiler: str
    # The compiler's own name.
    name: str
    # The compiler's own kind: "reduction", "kLoop", "call of extern_kernels.mm".
    kind: str = ""
    # Ids of the captured operations in it; one may be in several.
    nodes: list[int] = field(default_factory=list)
    # Bytes read and written; None where they are not known.
    bytes: int | None = None
    graph: str = WHOLE
    # The backend that it was compiled for, "cpu" or "gpu", where one compiler is shown for both.
    backend: str = ""


class FusionDecision(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """Whether one compiler fused two of its nodes into one kernel, and why or why not."""

    compiler: str
    # The compiler's own names of the two.
    from_: str
    to: str
    fused: bool
    # The compiler's own reason if it refused, else the kind of the fusion.
    reason: str = ""
    # Ids of the captured operations of each.
    from_nodes: list[int] = field(default_factory=list)
    to_nodes: list[int] = field(default_factory=list)
    # Bytes that one writes and the other reads, or that both read; None where they are not known.
    bytes: int | None = None
    graph: str = WHOLE
    # The backend that it was compiled for, "cpu" or "gpu", where one compiler is shown for both.
    backend: str = ""
