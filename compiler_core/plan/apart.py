"""Why a template and the kernel beside it are two launches: what kept them from being considered as
one, or what both ways cost.

Fusion leaves such an edge to the plan, which alone knows the candidates.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from compiler_core.plan import fused_convolution, fused_matmul
from compiler_core.plan.neighbours import Neighbours
from compiler_core.plan.plan import Choice, Plan
from compiler_core.plan.steps import Step
from compiler_core.plan.within import within
from compiler_core.report.reasons import Reason
from compiler_core.schedule.choice import Candidate


@dataclass(frozen=True)
class Edges:
    """The edges of a plan between kernels and templates."""

    plan: Plan

    def decided(self, buffer: str, writes: Collection[str]) -> Reason | None:
        """Why the step that writes `buffer` and the one that reads it and writes `writes` are two
        launches; None where one of them is no step of the plan."""
        edge = self._program.edge(buffer, writes)
        if edge is None:
            return None
        first, last = edge
        one, other = (self._choices.get(step.name) for step in edge)
        if one is None or other is None:
            return None
        if one is other:
            return _considered(one, buffer)
        why = _not_considered(self._program, buffer, first, last)
        return why or _elsewhere(first, last, one, other)

    @cached_property
    def _program(self) -> Neighbours:
        return Neighbours(self.plan.drafted, self.plan.outputs)

    @cached_property
    def _choices(self) -> dict[str, Choice]:
        return {step.name: each for each in self.plan.choices for step in within(each.step)}


def _not_considered(program: Neighbours, buffer: str, first: Step, last: Step) -> Reason | None:
    """Why the templates' own rules leave them apart, None where they do not."""
    if last.kind in _BEFORE:
        return _BEFORE[last.kind](program, last, buffer)
    return _AFTER[first.kind](program, first)


# By template, the function that says why the step before it, or the one after it, is not considered
# as a part; None if it is.
_BEFORE: Mapping[str, Callable[..., Reason | None]] = {
    "matmul": fused_matmul.no_prologue,
    "convolution": fused_convolution.no_start,
}
_AFTER: Mapping[str, Callable[..., Reason | None]] = {
    "matmul": fused_matmul.no_epilogue,
    "convolution": fused_convolution.no_end,
}


def _elsewhere(first: Step, last: Step, one: Choice, other: Choice) -> Reason:
    """Each of two steps may be a part of one template only."""
    step, choice = (first, one) if within(one.step)[1:] else (last, other)
    if not within(choice.step)[1:]:
        return Reason("no loop", "neither step can be a prologue or an epilogue of the other")
    rest = ", ".join(x.name for x in within(choice.step) if x is not step)
    why = f"{step.name} can be in one launch only, and is considered with {rest}{_where(choice)}"
    return Reason("in another launch", why)


def _where(choice: Choice) -> str:
    """Which launch shows what was considered."""
    shown = next((x.step.name for x in choice.launches if x.decisions), "")
    return f": see the candidates of {shown}" if shown else ""


# -- what was considered


def _considered(choice: Choice, buffer: str) -> Reason | None:
    """What the candidates of a template say of it with and without the step, and whose they
    are."""
    decisions = (each for launch in choice.launches for each in launch.decisions)
    found = [reason for each in decisions if (reason := _compared(each, buffer))]
    if not found:
        return None
    return Reason(found[0].kind, f"{'; '.join(found)}{_where(choice)}")


def _compared(candidates: Collection[Candidate], buffer: str) -> Reason | None:
    """Both costs; or why no candidate keeps the buffer out of memory, None where none would."""
    inside = [x for x in candidates if buffer in x.within]
    possible = [x for x in inside if x.cost_us is not None]
    chosen = next(x for x in candidates if x.chosen)
    if possible:
        best = min(possible, key=lambda x: x.cost_us or 0.0)
        why = f"{_us(best)} us as one launch ({best.reason}), {_us(chosen)} apart"
        return Reason("slower as one", why)
    refused = inside or [x for x in candidates if x.cost_us is None]
    why = "; ".join(dict.fromkeys(x.reason for x in refused))
    return Reason("not possible as one", f"not possible as one launch ({why})") if why else None


def _us(candidate: Candidate) -> str:
    return f"{candidate.cost_us or 0.0:.1f}"
