"""Random programs and pasted snippets under random choices of the compiler: the same numbers,
whichever it makes."""

from collections.abc import Iterator
from dataclasses import replace

from conformance import chance, random_programs, snippets
from conformance.sample import Sample

_PASTED = {f"pasted {framework}": framework for framework in snippets.VARIANTS}
VARIANTS = (*random_programs.VARIANTS, *_PASTED)


def entries(variant: str) -> list[str]:
    if variant in _PASTED:
        return snippets.entries(_PASTED[variant])
    return random_programs.entries(variant)


def samples(entry: str, variant: str) -> Iterator[Sample]:
    """The programs of a block of its own, or of a snippet, each with the choices of its name."""
    for sample in _pasted(entry, variant) if variant in _PASTED else _random(entry, variant):
        yield replace(sample, knobs=chance.number(sample.name))


def _pasted(entry: str, variant: str) -> Iterator[Sample]:
    for sample in snippets.samples(entry, _PASTED[variant]):
        yield replace(sample, name=f"chosen by chance {sample.name}")


def _random(entry: str, variant: str) -> Iterator[Sample]:
    for number in range(random_programs.OF):
        yield random_programs.sample(f"chosen by chance {entry} {number}", variant)
