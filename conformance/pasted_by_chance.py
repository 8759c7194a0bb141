"""The snippets of `conformance/pasted/`, changed by chance: whatever is pasted ends with a graph,
or with one clear sentence."""

import random
from collections.abc import Iterator

from conformance import chance, snippets
from conformance.paste_changes import changed
from conformance.sample import PastedSample

VARIANTS = ("torch", "jax")
OF = 5


def entries(variant: str) -> list[str]:
    return snippets.entries(variant)


def name(entry: str) -> str:
    return f"by chance {entry}"


def samples(entry: str, variant: str) -> Iterator[PastedSample]:
    for number in range(OF):
        named = f"{name(entry)} {number}"
        rng = random.Random(chance.number(named))
        yield PastedSample(named, changed(rng, snippets.text(entry), _another))


def _another(rng: random.Random) -> str:
    return snippets.text(rng.choice(snippets.names()))
