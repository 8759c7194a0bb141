"""Random torch programs with graph breaks, a unit a kind of statement: as `torch.compile` runs them
with the core for a back end, also with symbols for sizes, and as a snippet is explored."""

from collections.abc import Iterator
from functools import partial

from conformance import examples
from conformance.breaks.programs import Broken, grown
from conformance.breaks.statements import STATEMENTS
from conformance.sample import BreakSample

VARIANTS = ("torch.compile", "dynamic", "explored")
OF = 20


def entries(variant: str) -> list[str]:
    return list(STATEMENTS)


def make(entry: str) -> examples.Make[Broken]:
    return partial(grown, kind=entry)


def name(entry: str, variant: str) -> str:
    return f"breaks {entry} {variant}"


def samples(entry: str, variant: str) -> Iterator[BreakSample]:
    drawn = examples.drawn(make(entry), name(entry, variant), OF)
    for number, program in enumerate(drawn):
        yield BreakSample(f"{name(entry, variant)} {number}", program, variant)
