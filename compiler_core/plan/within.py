"""Which steps a step stands for: a template is joined from several, of which each has a name."""

from compiler_core.plan.steps import Step
from compiler_core.schedule.choice import Scope


def within(step: Step) -> tuple[Step, ...]:
    """The steps that a template was joined from, in order; the step itself where it is none."""
    return step.steps or (step,)


def written(step: Step) -> frozenset[str]:
    """The buffers that the step writes, and those that the steps within it would."""
    return frozenset(b.name for each in (step, *within(step)) for b in each.outputs)


def between(step: Step) -> frozenset[str]:
    """The intermediate buffers of a template: those that only the steps within it write and
    read."""
    return written(step) - {b.name for b in step.outputs}


def scope_of(step: Step) -> Scope:
    """The names by which a choice among the candidates for `step` can be overridden."""
    names = frozenset(each.name for each in (step, *within(step)))
    return Scope(names, written(step))
