"""Ranges of integer values."""

from compiler_core.ir.types import BOOL, I32
from compiler_core.kernel.intervals import interval
from compiler_core.kernel.kernel import Compute, Const

STEPS = 18


def search():
    """The steps of a binary search: each adds to the count before it, or leaves that."""
    defs = {"c0": Const("c0", I32, 0), "more": Const("more", BOOL, True)}
    for i in range(STEPS):
        defs[f"s{i}"] = Const(f"s{i}", I32, 2**i)
        defs[f"a{i}"] = Compute(f"a{i}", I32, "add", (f"c{i}", f"s{i}"))
        defs[f"c{i + 1}"] = Compute(f"c{i + 1}", I32, "select", ("more", f"a{i}", f"c{i}"))
    return defs


def test_each_step_of_a_search_is_looked_at_once():
    asked, defs = [], search()

    def definition(name):
        asked.append(name)
        return defs[name]

    assert interval(f"c{STEPS}", definition, {}) == (0, 2**STEPS - 1)
    assert len(asked) == len(set(asked))
