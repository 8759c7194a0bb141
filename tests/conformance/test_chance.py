"""Whatever is drawn is drawn anew with a salt."""

import pytest

from conformance import chance, formulas, metamorphic, pasted_by_chance, random_graphs
from conformance import random_programs as programs

pytestmark = pytest.mark.cpu


def arrays():
    return formulas.FORMULAS["relu"].inputs()[0].tolist()


DRAWN = {
    "programs": lambda: programs.sample("block 0 0", "torch").name,
    "graphs": lambda: str([s.program.graph for s in random_graphs.samples("pad", "C")]),
    "choices": lambda: next(metamorphic.samples("block 0", "torch")).knobs,
    "changes": lambda: [s.text for s in pasted_by_chance.samples("torch_kan", "torch")],
    "arrays": arrays,
}


@pytest.mark.parametrize("what", DRAWN)
def test_a_salt_stands_for_other_examples(what, monkeypatch):
    draw = DRAWN[what]
    monkeypatch.setenv(chance.VARIABLE, "one")
    with_one = draw()
    chance.salt_with("other")
    assert draw() != with_one
    chance.salt_with("one")
    assert draw() == with_one
