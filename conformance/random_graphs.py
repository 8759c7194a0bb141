"""Random graphs, a unit an operation of the table: in C, in Triton's interpreter, and compiled once
for symbols as sizes."""

from collections.abc import Iterator
from functools import partial

from compiler_core.ir.ops import OPS
from conformance import chance, examples
from conformance.graphs.programs import Random, grown
from conformance.sample import GraphSample

VARIANTS = ("C", "Triton", "C symbolic", "Triton symbolic", "C by chance", "Triton by chance")
OF = 20


def entries(variant: str) -> list[str]:
    return list(OPS)


def make(entry: str, variant: str) -> examples.Make[Random]:
    return partial(grown, op=entry, symbolic="symbolic" in variant)


def name(entry: str, variant: str) -> str:
    return f"{entry} {variant}"


def samples(entry: str, variant: str) -> Iterator[GraphSample]:
    drawn = examples.drawn(make(entry, variant), name(entry, variant), OF)
    for number, program in enumerate(drawn):
        yield sample(f"{name(entry, variant)} {number}", program, variant)


def sample(named: str, program: Random, variant: str) -> GraphSample:
    knobs = chance.number(named) if "chance" in variant else None
    return GraphSample(named, program, variant.partition(" ")[0], knobs)
