"""One program of a snippet, with its captured operations and all that was found out about it."""

import msgspec
from msgspec import field

from compiler_core.report.figures import CompilerSummary
from compiler_core.report.findings import Finding, FusionDecision, FusionGroup, Trial
from compiler_core.report.graphs import WHOLE, Graph, PythonSegment
from compiler_core.report.kernels import Buffer, FusionRefusal, Kernel, Resources
from compiler_core.report.overrides import Overridden
from compiler_core.report.precision import KernelError
from compiler_core.report.results import Measurement, Numerics, Sample, Summary, Timing
from compiler_core.report.snippet import Failure
from compiler_core.report.stages import Stage
from compiler_core.report.timelines import Timeline
from compiler_core.report.vocabulary import Framework, Status


class Entry(msgspec.Struct, frozen=True):
    """Where a program is in the snippet: the line of its function or call, 1-based."""

    line: int | None = None


class GraphBreak(msgspec.Struct, frozen=True):
    """A place where TorchDynamo ends the graph and Python continues, and why."""

    reason: str
    line: int | None = None
    # What to do about it; blank where nothing is known.
    remedy: str = ""


class Read(msgspec.Struct, frozen=True):
    """An edge of the captured graph: the operation `node` whose result is read, and the bytes of
    that value at the sizes of the call."""

    node: int
    bytes: int


class CapturedOp(msgspec.Struct, frozen=True):
    """A captured operation: its id, which every line map refers to, and its line and column in the
    snippet, both 1-based. Ids are unique in a program, over all its graphs."""

    id: int
    op: str
    line: int | None = None
    column: int | None = None
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The edges of the captured graph that end here, without those within one operation.
    reads: list[Read] = field(default_factory=list)
    # The modules that it is called in, outermost first: "blocks/0/attention". Those of the program
    # itself, where it is a module, or below the class of one that it calls; an operation of a
    # backward graph has those of what it is the gradient of. Of JAX, what jax.named_scope says, and
    # where a program does not use it, the functions that are called, with a number where several
    # are of one name: "step/loss/block/3/attention".
    scope: str = ""
    # The column behind the last sign of its expression: of `(a @ b) + c` both operations begin at
    # one column. None where the expression ends on another line, or that is not known.
    end: int | None = None


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
    # Where the options have a seed: of each compiler's version the outputs for the inputs of that
    # seed, then for those at a 128th of their size. At most 64 elements of each, at places that the
    # seed and the output's size decide.
    outputs: dict[str, list[list[Sample]]] = field(default_factory=dict)
    nodes: list[CapturedOp] = field(default_factory=list)
    resources: list[Resources] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    # The program's inputs as specs: ["f32[B=4096,1024]", "f32[1024]"]. A size with a name is
    # dynamic; where one was requested and is not, a notice says why.
    inputs: list[str] = field(default_factory=list)
    # The root first, then its descendants in the order in which they run.
    graphs: list[Graph] = field(default_factory=list)
    # What Python runs between the graphs, in order.
    python: list[PythonSegment] = field(default_factory=list)
    # The backend whose plan ran and was measured, "cpu" or "gpu"; blank where it is not known.
    backend: str = ""
    # What became of what the options override, in their order.
    overrides: list[Overridden] = field(default_factory=list)
    # The errors of the values that the launches of the plan that ran write to memory, in order; the
    # summary of the stage "precision" says which are left out, and why.
    kernel_errors: list[KernelError] = field(default_factory=list)
    # The call that was guessed, "MLP(256, 10)(f32[128,256])", where the snippet has no call and the
    # options no inputs; in the form of the options' `inputs`. Blank otherwise.
    assumed: str = ""
    # The call as the options' `inputs` write it, "f(f32[8,16], 3)", the snippet's own where it has
    # one; blank where that cannot be written, as with an object among the arguments.
    called: str = ""
    # The why-list: what the compilers that were looked into did otherwise than hoped for.
    findings: list[Finding] = field(default_factory=list)
    # All remedies that were offered, applied together; None where there were fewer than two.
    together: Trial | None = None
    # What each of these compilers fused and what it did not.
    fusion_decisions: list[FusionDecision] = field(default_factory=list)
    # The figures of each compiler that ran the program or was looked into.
    compilers: list[CompilerSummary] = field(default_factory=list)
    # What each of these compilers runs as one unit, in the order of execution where it is known.
    fusion_groups: list[FusionGroup] = field(default_factory=list)
    # Where the time of one call goes, where that was asked for.
    timelines: list[Timeline] = field(default_factory=list)
    # How `timings` were taken; None where there are none.
    measurement: Measurement | None = None


def ran(entry: Kernel | FusionRefusal, program: Program) -> bool:
    """Whether an entry belongs to the plan that ran, rather than to one that is only shown."""
    return entry.backend in ("", program.backend)


class Candidate(msgspec.Struct, frozen=True):
    """A function or module at `line`, 1-based, for which no inputs were found; `inputs` is the
    guess with which its run came furthest."""

    name: str
    line: int
    parameters: list[str]
    inputs: str
