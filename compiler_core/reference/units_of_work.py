"""What a compiler decided of two captured operations by what it runs as one, where it gives no
reason of its own."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from compiler_core import report
from compiler_core.reference.result import title_of


class Unit(Protocol):
    """What runs as one: its name in the compiler, of which kind it is in words, and the captured
    operations in it."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def nodes(self) -> Sequence[int]: ...


def decisions(
    compiler: report.Compiler, units: Iterable[Unit], edges: Iterable[tuple[int, int, int]]
) -> Iterator[report.FusionDecision]:
    """One for each edge (maker, reader, bytes) between captured operations that are in units."""
    of: dict[int, list[Unit]] = defaultdict(list)
    for unit in units:
        for each in unit.nodes:
            of[each].append(unit)
    for maker, reader, size in edges:
        if maker in of and reader in of:
            yield _decision(compiler, of[maker], of[reader], (maker, reader, size))


def _decision(
    compiler: report.Compiler, makers: list[Unit], readers: list[Unit], edge: tuple[int, int, int]
) -> report.FusionDecision:
    maker, reader, size = edge
    both = next((each for each in makers if each in readers), None)
    first, second = both or makers[0], both or readers[0]
    apart = f"{title_of(compiler)} gives no reason: from {first.kind} to {second.kind}"
    return report.FusionDecision(
        compiler, first.name, second.name, both is not None,
        first.kind if both else apart, [maker], [reader], size,
    )  # fmt: skip
