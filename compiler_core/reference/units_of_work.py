"""Fusion decisions on pairs of captured operations, derived from what a compiler runs as one unit,
for compilers that give no reasons of their own."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from compiler_core import report
from compiler_core.reference.result import title_of


class Unit(Protocol):
    """What a compiler runs as one: the unit's name in the compiler, its kind in words, and the
    captured operations in it."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def nodes(self) -> Sequence[int]: ...


def decisions(
    compiler: report.Compiler, units: Iterable[Unit], edges: Iterable[tuple[int, int, int]]
) -> Iterator[report.FusionDecision]:
    """For each edge (producer, consumer, bytes) between captured operations in units, the decision
    that both share a unit or that they do not; both decisions if a part of the consumer is in a
    unit without the producer."""
    of: dict[int, list[Unit]] = defaultdict(list)
    for unit in units:
        for each in unit.nodes:
            of[each].append(unit)
    for maker, reader, size in edges:
        if maker in of and reader in of:
            for first, second, why in _pairs(title_of(compiler), of[maker], of[reader]):
                yield report.FusionDecision(
                    compiler, first.name, second.name, first is second, why, [maker], [reader], size
                )


def _pairs(title: str, makers: list[Unit], readers: list[Unit]) -> Iterator[tuple[Unit, Unit, str]]:
    """The unit that both are in, as two equal ones, and two that they are in apart."""
    shared = next((each for each in readers if each in makers), None)
    apart = next((each for each in readers if each not in makers), None)
    if shared is not None:
        yield shared, shared, shared.kind
    if apart is not None:
        how = f"from {makers[0].kind} to {apart.kind}"
        split = f"the second is split, and a part of it is apart from the first, in {apart.kind}"
        yield shared or makers[0], apart, f"{title} gives no reason: {split if shared else how}"
