"""The figures of eager and the core; the packages of other compilers count their own."""

from msgspec import structs

from compiler_core import report
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.summary import summary
from compiler_core.plan.equal import first_of_each
from compiler_core.plan.plan import Plan
from compiler_core.report import CompilerSummary, Figure, Phase

_ONE_BY_ONE = Figure(why="eager runs every operation by itself")
_NOT_FOLLOWED = Figure(why="eager frees each value when Python lets go of it; nobody follows that")
# The kinds of the stages that lead to the program that runs.
_PHASES = ("capture", "pass", "fuse", "schedule", "codegen")


def emit_figures(c: Compilation) -> None:
    """Emits the figures of eager and of the core."""
    c.add_figures(_eager(c))
    c.add_figures(_core(c))


def _eager(c: Compilation) -> CompilerSummary:
    counts = summary(c)
    planned = all(part.running.plan is not None for part in c.parts)
    launches = Figure(counts.launches_eager) if planned else _unplanned(c)
    moved = Figure(counts.bytes_eager) if planned else _unplanned(c)
    return CompilerSummary(
        "eager", graphs=_ONE_BY_ONE, breaks=_ONE_BY_ONE, kernels=_ONE_BY_ONE, launches=launches,
        library_calls=launches, bytes=moved, peak_bytes=_NOT_FOLLOWED,
    )  # fmt: skip


def _core(c: Compilation) -> CompilerSummary:
    assert c.captured is not None
    graphs, breaks = Figure(len(c.captured.graphs)), Figure(len(c.captured.graph_breaks))
    plans = [part.running.plan for part in c.parts if part.running.plan is not None]
    phases = [Phase(kind, c.ms[kind]) for kind in _PHASES if kind in c.ms]
    known = CompilerSummary("core", graphs, breaks, phases=phases)
    if len(plans) < len(c.parts) or not plans:
        return report.joined(known, _nothing(_unplanned(c)))
    counts = summary(c)
    return structs.replace(
        known,
        kernels=Figure(sum(map(_kernels, plans))),
        launches=Figure(counts.launches_core),
        library_calls=Figure(sum(map(_calls, plans)) + counts.launches_outside),
        bytes=Figure(counts.bytes_core),
        peak_bytes=Figure(max(map(_peak, plans))),
    )


def _unplanned(c: Compilation) -> Figure:
    left = sum(part.running.plan is None for part in c.parts)
    return Figure(why=f"{left} of {len(c.parts)} graphs have no plan" if c.parts else "no graphs")


def _nothing(why: Figure) -> CompilerSummary:
    return CompilerSummary(
        "core", kernels=why, launches=why, library_calls=why, bytes=why, peak_bytes=why
    )


def _kernels(plan: Plan) -> int:
    """Different generated ones."""
    first = first_of_each(plan.walk())
    own = (launch.step for launch in plan.walk() if launch.step.library is None)
    return sum(first[step.name] == step.name and not step.plans for step in own)


def _calls(plan: Plan) -> int:
    return sum(launch.step.library is not None for launch in plan.walk())


def _peak(plan: Plan) -> int:
    """Temporaries at their planned places, and results."""
    given = {*plan.inputs, *plan.over}
    results = {name for name in plan.outputs if name not in given}
    return plan.arena_bytes + sum(plan.buffers[name].at_hint().bytes for name in results)
