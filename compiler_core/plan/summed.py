"""Which products of a matrix and a vector a target's plan has as sums (passes/vectors.py), by the
target's own costs, before it is fused.

    sum         an ordinary loop, which is fused with what computes its operands and what reads it
    others      the ways that a product has: a generated template, the libraries

Each is costed as a small plan of the product and of the arithmetic around it, made by the same
fusion and by the same chooser as the whole; so a matrix that would be computed into memory for a
library, or copied for it, costs that. What is not taken is listed with the launch that is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from compiler_core.errors import FuselabError
from compiler_core.fuse.alone import each_alone
from compiler_core.fuse.cost import CostModel
from compiler_core.fuse.groups import fuse_by
from compiler_core.ir.graph import Graph, Region, Value
from compiler_core.ir.naming import value_names
from compiler_core.ir.text import to_text
from compiler_core.passes.vectors import SumProducts, as_sums, is_of_vector
from compiler_core.plan.beside import Left
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import Chooser
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.shown import against, chosen_of
from compiler_core.plan.surroundings import NEAR, surroundings, weighed_by
from compiler_core.schedule.choice import Candidate, Option, Scope, cheapest
from compiler_core.steering import Steering, current, steered

SUM = "sum"


@dataclass(frozen=True)
class Decided:
    """What was decided of the product that is called `name` before its target's passes: whether it
    is a sum, and all candidates."""

    name: str
    summed: bool
    candidates: tuple[Candidate, ...]

    @property
    def left(self) -> tuple[Candidate, ...]:
        """What was not taken: of a sum the ways of a product, of a product the sum."""
        chosen = chosen_of(self.candidates)
        left = (x for x in self.candidates if (x.strategy == SUM) is not self.summed)
        return tuple(against(replace(x, chosen=False, of=self.name), chosen) for x in left)


# By the id of the product.
Decisions = Mapping[int, Decided]


def decide(graph: Graph, model: CostModel, choose: Chooser) -> Decisions:
    """What becomes of each product of a matrix and a vector, those in regions included; of none
    where the pass that makes sums of them is switched off."""
    if not current().runs(SumProducts.name):
        return {}
    units = list(_units(graph, choose))
    names = {v.id: name for name, v in value_names(graph).items()} if units else {}
    regions = {region for _, region, _ in units}
    places = {r: {o: i for i, o in enumerate(r.operations)} for r in regions}
    known: dict[tuple[str, bool], tuple[Option[bool], ...]] = {}
    found: dict[int, Decided] = {}
    for products, region, own in units:
        near, inside = surroundings(products, region, places[region])
        key = to_text(near), own is choose
        if key not in known:
            known[key] = tuple(_Costs(model, own).options(near, inside))
        for product in products:
            decided = _decided(names[product.id], product, known[key])
            found |= {product.id: decided} if decided else {}
    return found


def sums(decisions: Decisions) -> frozenset[int]:
    """The ids of the products that are sums."""
    return frozenset(product for product, x in decisions.items() if x.summed)


def of_name(decisions: Decisions, name: str) -> Decided | None:
    """What was decided of the product that overrides call so: `1.dot_general`, `%12`."""
    found = (x for product, x in decisions.items() if name in (x.name, f"%{product}"))
    return next(found, None)


def left(decisions: Decisions) -> Left:
    """What was not taken, by the ids of the products."""
    return {product: x.left for product, x in decisions.items()}


def _units(region: Region, choose: Chooser) -> Iterator[tuple[tuple[Value, ...], Region, Chooser]]:
    """The products of which each is decided by itself, or with the one that weighs by its softmax,
    since a template may be both; with their region, and who chooses there."""
    taken = set[Value]()
    for operation in region.operations:
        for inner in operation.regions:
            yield from _units(inner, choose.inside())
        if operation.op != "dot_general" or not is_of_vector(operation.result):
            continue
        product, other = operation.result, weighed_by(operation.result, region)
        both = other is not None and is_of_vector(other) and other not in taken
        if product not in taken:
            unit = (product, other) if both and other is not None else (product,)
            taken.update(unit)
            yield unit, region, choose


def _decided(name: str, dot: Value, options: tuple[Option[bool], ...]) -> Decided | None:
    """None where neither way is possible: the whole plan says why."""
    if not any(x.is_possible for x in options):
        return None
    # The result of an option that is possible is whether it is a sum, which may be False.
    summed, candidates = cheapest(options, Scope(frozenset({name, str(dot)}), frozenset()))
    return Decided(name, summed, candidates)


@dataclass(frozen=True)
class _Costs:
    """What small plans for a target cost."""

    model: CostModel
    choose: Chooser

    def options(self, near: Graph, products: Sequence[Value]) -> Iterator[Option[bool]]:
        """The sum, then the ways of a product, each with all that is around it."""
        summed, _ = as_sums(near, {x.id for x in products})
        yield self._as_sum(summed)
        yield from self._as_product(near)

    def _as_sum(self, near: Graph) -> Option[bool]:
        plan = self._plan(near)
        if isinstance(plan, str):
            return Option(Candidate(SUM, plan))
        many = len(plan.launches)
        how = "in one loop" if many == 1 else f"{many} launches"
        longest = max(plan.launches, key=lambda x: x.cost_us).schedule
        reason = f"a sum of products, {how} with what is around it; {longest.reason}"
        return Option(Candidate(SUM, reason, _us(plan), longest.parameters), True)

    def _as_product(self, near: Graph) -> Iterator[Option[bool]]:
        plan = self._plan(near)
        if isinstance(plan, str):
            yield Option(Candidate("product", plan))
            return
        candidates = _of_product(plan)
        rest = _us(plan) - (chosen_of(candidates).cost_us or 0.0)
        for each in candidates:
            us = None if each.cost_us is None else each.cost_us + rest
            own = Candidate(each.strategy, _plain(each.reason), us, each.parameters)
            yield Option(own, None if us is None else False)

    def _plan(self, near: Graph) -> Plan | str:
        """The plan by the model alone, or why there is none."""
        try:
            with steered(Steering()):
                fused = fuse_by(self.model, each_alone(values_of(near)))
                plan = build_plan(fused, self.choose, NEAR)
        except FuselabError as refused:
            return refused.message
        return plan if plan.launches else "there is nothing to compute"


def _plain(reason: str) -> str:
    """Without the numbers of kernels, which only the small plan has."""
    return re.sub(rf"\b{NEAR}_k\d+_", "", reason)


def _us(plan: Plan) -> float:
    return sum(x.cost_us for x in plan.launches)


def _of_product(plan: Plan) -> tuple[Candidate, ...]:
    """The candidates for the product and what may be part of its launch."""
    own = (x for x in plan.choices if _is_product(x.step.ops))
    return next(_all_of(x.launches) for x in own)


def _is_product(ops: tuple[str, ...]) -> bool:
    return "dot_general" in ops


def _all_of(launches: tuple[Launch, ...]) -> tuple[Candidate, ...]:
    """Those of the outermost choice."""
    decided = (x.decisions[-1] for x in launches if x.decisions)
    return next(decided, launches[0].candidates)
