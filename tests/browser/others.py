"""Reports with the stages of another compiler, written by hand: quick to store, and known."""

from msgspec import structs

from compiler_core import report
from compiler_core.report import (
    Artifact,
    CapturedOp,
    Finding,
    FusionRefusal,
    Graph,
    GraphBreak,
    Options,
    Program,
    Read,
    Report,
    Stage,
    Timeline,
    TimelineEvent,
    Trial,
    TrialCounts,
    TrialTime,
)

LINES = 60
SOURCE = "import jax\n\n\ndef f(x, b):\n    y = x + b\n    return y * y\n"
OPERATIONS = [CapturedOp(0, "add", 5, 8), CapturedOp(1, "mul", 6, 11, reads=[Read(0, 4096)])]


def text(name: str, last: str) -> Artifact:
    """An HLO-like text whose last line but one is the addition, and whose last is `last`."""
    lines = [*(f"%{i} = f32[] constant({i})" for i in range(LINES)), "%a = add(x, b)", last]
    return Artifact(name, name, "text", "\n".join(lines), [*([[]] * LINES), [0], [1]])


def other(name: str, parent: str = "", **change: object) -> Stage:
    """A stage that was found by looking into XLA."""
    stage = Stage(name, "ok", 0.0, kind="insides", compiler="xla", parent=parent)
    return structs.replace(stage, **change)


TIME = TrialTime("core", 300.0, 290.0, 310.0, 200.0, 190.0, 210.0, 1.5, 1.4, 1.6, "faster", 20)
ONE = TrialCounts(graphs=1)
TRIAL = Trial(SOURCE.replace("y * y", "y**2"), 1.5, "2 compilations become 1", [TIME], ONE, ONE)
BOTH = Trial(SOURCE.replace("y * y", "y**3"), 2.0, "2 changes together", [], ONE, ONE)
FINDINGS = [
    Finding(
        "recompile",
        "xla",
        "f is compiled a second time",
        why="the first size of x was 4 and is 8",
        remedy="Give the size a name, as in f32[B=4].",
        line=4,
        compile_ms=120.0,
        raw="tensor 'x' size mismatch at index 0",
        trial=TRIAL,
    ),
    Finding("layout copy", "xla", "copy.1 transposes y", line=5, nodes=[0], bytes=4096),
]
REFUSALS = [FusionRefusal(f"%{i} add", f"%{i + 1} mul", "another shape", [1]) for i in range(5)]
LANES = [
    Timeline(
        "eager", 100.0, 80.0, 11,
        [
            TimelineEvent(10.0, 30.0, "library", "aten.add", [0], 5),
            TimelineEvent(50.0, 40.0, "library", "aten.mul", [1], 6),
        ],
        "recorded by torch.profiler",
    ),
    Timeline(
        "core", 50.0, 50.0, 11,
        [TimelineEvent(5.0, 40.0, "kernel", "k0_add_mul", [0, 1], 5, "k0_add_mul")],
    ),
]  # fmt: skip
BREAKS = [GraphBreak("print is called", 5)]


def with_reasons(*more: Stage) -> Report:
    """The same with something to say of each kind that a person meets."""
    facts = {"findings": FINDINGS, "fusion_refusals": REFUSALS, "graph_breaks": BREAKS}
    return opened_up(*more, **facts, together=BOTH)


def opened_up(*more: Stage, **facts: object) -> Report:
    """The core's capture, two passes of XLA's below a stage of its own, and `more` of it."""
    sides = [text("before", "%m = multiply(a, a)"), text("after", "%p = power(a, 2)")]
    stages = [
        Stage("capture", "ok", 1.0, [Artifact("ir", "ir", "fuselab", "graph f")], "capture"),
        other("lowered", artifacts=[text("stablehlo", "return")], summary="StableHLO"),
        other("passes"),
        other("1 algsimp", "passes", artifacts=sides, summary="simplification"),
        other("2 dce", "passes", changed=False),
        *more,
        other("insides", ms=12.0, summary="5 stages"),
    ]
    graphs = [Graph(name="f", line=4)]
    program = Program("f", "jax", graphs=graphs, nodes=OPERATIONS, stages=stages)
    for name, value in facts.items():
        setattr(program, name, value)
    options = Options(insides=("xla",))
    return Report(snippet=report.Snippet("", SOURCE), programs=[program], options=options)
