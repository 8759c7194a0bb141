"""Random programs under random choices of the compiler: the same numbers, whichever it makes."""

from collections.abc import Iterator
from dataclasses import replace
from zlib import crc32

from conformance import random_programs
from conformance.sample import Sample

VARIANTS = random_programs.VARIANTS


def entries(variant: str) -> list[str]:
    return random_programs.entries(variant)


def samples(entry: str, variant: str) -> Iterator[Sample]:
    """The programs of a block of its own, each with the choices of its name."""
    for number in range(random_programs.OF):
        name = f"chosen by chance {entry} {number}"
        sample = random_programs.sample(name, variant)
        yield replace(sample, knobs=crc32(name.encode()))
