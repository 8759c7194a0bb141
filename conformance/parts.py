"""The parts of the conformance run, by name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from zlib import crc32

from conformance import (
    error_inputs,
    formulas,
    harnesses,
    metamorphic,
    opinfo,
    pasted_by_chance,
    random_breaks,
    random_graphs,
    random_programs,
    snippets,
    triton,
)
from conformance.sample import (
    BreakSample,
    FormulaSample,
    GraphSample,
    PastedSample,
    Sample,
    Unit,
)

AnySample = Sample | GraphSample | FormulaSample | BreakSample | PastedSample


@dataclass(frozen=True)
class Part:
    """A database: the entries that have samples of a variant, and these samples in an order."""

    variants: tuple[str, ...]
    entries: Callable[[str], Iterable[str]]
    samples: Callable[[str, str], Iterable[AnySample]]
    # How many of the samples of a variant are enough, where not all of them are run.
    shares: Mapping[str, float] = field(default_factory=dict)


PARTS: dict[str, Part] = {
    "opinfo": Part(opinfo.VARIANTS, opinfo.entries, opinfo.samples, opinfo.SHARES),
    "errors": Part(error_inputs.VARIANTS, error_inputs.entries, error_inputs.samples),
    "harness": Part(harnesses.VARIANTS, harnesses.entries, harnesses.samples),
    "random": Part(random_programs.VARIANTS, random_programs.entries, random_programs.samples),
    "graphs": Part(random_graphs.VARIANTS, random_graphs.entries, random_graphs.samples),
    "breaks": Part(random_breaks.VARIANTS, random_breaks.entries, random_breaks.samples),
    "metamorphic": Part(metamorphic.VARIANTS, metamorphic.entries, metamorphic.samples),
    "triton": Part(triton.VARIANTS, triton.entries, triton.samples),
    "formulas": Part(formulas.VARIANTS, formulas.entries, formulas.samples),
    "snippets": Part(snippets.VARIANTS, snippets.entries, snippets.samples),
    "pasted": Part(pasted_by_chance.VARIANTS, pasted_by_chance.entries, pasted_by_chance.samples),
}


def units(part: str, only: str = "", share: float = 1.0) -> list[Unit]:
    """The units of a part that have `only` in their names, well mixed: the first of them are like
    the others."""
    each = PARTS[part]
    found = (
        Unit(part, e, variant, share * each.shares.get(variant, 1.0))
        for variant in each.variants
        for e in each.entries(variant)
    )
    return sorted((u for u in found if only in str(u)), key=lambda u: crc32(str(u).encode()))


def samples(unit: Unit) -> Iterator[tuple[int, AnySample]]:
    """The samples of a unit's share, with their numbers: the first, and those that a hash of
    their name chooses, which are the same at every run."""
    part = PARTS[unit.part]
    for number, sample in enumerate(part.samples(unit.entry, unit.variant)):
        drawn = crc32(f"{unit.entry} {unit.variant} {number}".encode()) / 2**32
        if number == 0 or drawn < unit.share:
            yield number, sample
