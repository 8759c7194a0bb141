"""From the candidates for a step to the launches of the cheapest, each with the candidates that the
report lists for it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Step
from compiler_core.plan.within import between, scope_of
from compiler_core.schedule.choice import Candidate, Option, cheapest

Chosen = tuple[Launch, ...]


def all_shown(step: Step, options: Iterable[Option[Chosen]]) -> Chosen:
    """The launches of the cheapest option for `step`. Launches with the strategy of the chosen
    candidate list all candidates of `step`; other launches of the same option keep their own list.
    If no launch has that strategy (the step is run as separate launches), the first one lists its
    own candidates and those of `step` that were not chosen."""
    of = scope_of(step)
    launches, candidates = cheapest([_keeping(x, step) for x in options], of)
    chosen = chosen_of(candidates)
    main = [x for x in launches if x.schedule.strategy == chosen.strategy]
    if not main:
        first, *rest = launches
        left = tuple(against(x, chosen) for x in candidates if not x.chosen)
        shown = replace(first, candidates=(*first.candidates, *left), of=of)
        return (_deciding(shown, candidates), *rest)
    # What the choice costs in addition to what its launches say of themselves.
    more_us = ((chosen.cost_us or 0.0) - sum(x.cost_us for x in launches)) / len(main)
    return tuple(
        _deciding(replace(x, candidates=candidates, cost_us=x.cost_us + more_us, of=of), candidates)
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
    """The candidate `left`, with the modelled cost of the chosen one added to its reason."""
    if left.cost_us is None:
        return left
    return replace(left, reason=f"{left.reason}; {chosen.reason}: {chosen.cost_us:.1f} us")


def one_launch(step: Step, options: Iterable[Option[Any]]) -> Chosen:
    """The launch of `step` by the cheapest schedule."""
    schedule, candidates = cheapest(options, scope_of(step))
    return (Launch(step, schedule, candidates, cost_of(candidates)),)


def chosen_of(candidates: Iterable[Candidate]) -> Candidate:
    """The candidate that was chosen; one is."""
    return next(x for x in candidates if x.chosen)


def cost_of(candidates: Iterable[Candidate]) -> float:
    """Modelled microseconds of the chosen candidate; 0 where it has no cost."""
    return chosen_of(candidates).cost_us or 0.0
