"""The launches of what was chosen, with the candidates that each of them shows."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Step
from compiler_core.plan.within import between, scope_of
from compiler_core.schedule.choice import Candidate, Option, cheapest

Chosen = tuple[Launch, ...]


def all_shown(step: Step, options: Iterable[Option[Chosen]]) -> Chosen:
    """The launches of the cheapest way to run `step`. Those that run as the chosen candidate says
    show all candidates, and the others beside them their own; where none does, the first one shows
    its own and what was not chosen."""
    launches, candidates = cheapest([_keeping(x, step) for x in options], scope_of(step))
    chosen = chosen_of(candidates)
    main = [x for x in launches if x.schedule.strategy == chosen.strategy]
    if not main:
        first, *rest = launches
        left = tuple(against(x, chosen) for x in candidates if not x.chosen)
        shown = replace(first, candidates=(*first.candidates, *left))
        return (_deciding(shown, candidates), *rest)
    # What the choice costs in addition to what its launches say of themselves.
    more_us = ((chosen.cost_us or 0.0) - sum(x.cost_us for x in launches)) / len(main)
    return tuple(
        _deciding(replace(x, candidates=candidates, cost_us=x.cost_us + more_us), candidates)
        if x in main
        else x
        for x in launches
    )


def _keeping(option: Option[Chosen], step: Step) -> Option[Chosen]:
    """`option` with the buffers within `step` that its launches do not write."""
    if option.result is None:
        return option
    inside = between(step) - {b.name for x in option.result for b in x.step.outputs}
    return replace(option, candidate=replace(option.candidate, within=inside))


def _deciding(launch: Launch, candidates: tuple[Candidate, ...]) -> Launch:
    return replace(launch, decisions=(*launch.decisions, candidates))


def against(left: Candidate, chosen: Candidate) -> Candidate:
    """`left`, which says what the launches cost together that were chosen instead."""
    if left.cost_us is None:
        return left
    return replace(left, reason=f"{left.reason}; {chosen.reason}: {chosen.cost_us:.1f} us")


def one_launch(step: Step, options: Iterable[Option[Any]]) -> Chosen:
    """The launch of `step` by the cheapest schedule."""
    schedule, candidates = cheapest(options, scope_of(step))
    return (Launch(step, schedule, candidates, cost_of(candidates)),)


def chosen_of(candidates: Iterable[Candidate]) -> Candidate:
    """The one that was chosen."""
    return next(x for x in candidates if x.chosen)


def cost_of(candidates: Iterable[Candidate]) -> float:
    """Microseconds of the chosen one."""
    return chosen_of(candidates).cost_us or 0.0
