"""The fixed fast part of the conformance run: some samples of some entries, as they are built
for users, in a process of their own. Of its units `make test` takes every twelfth."""

from collections.abc import Iterator

import pytest

from conformance import document, parent, record
from conformance.parts import units
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

# How many units, and the least share of native ones among those in scope.
FAST = {
    "opinfo forward f32": (80, 0.75),
    "opinfo forward bf16": (20, 0.75),
    "opinfo backward": (15, 0.6),
    "harness": (40, 0.75),
    "random torch": (2, 0.8),
    "graphs C": (10, 0.5),
    "breaks torch.compile": (14, 0.8),
    "breaks explored": (14, 0.6),
    "triton operations": (20, 0.9),
    "triton templates": (5, 0.9),
    "formulas": (10, 0.9),
}


@pytest.fixture(scope="module")
def child() -> Iterator[parent.Child]:
    """Of all parts: importing both frameworks takes longer than most of them."""
    with parent.Child(parent.Limits()) as child:
        yield child


@pytest.mark.timeout(300)
@pytest.mark.parametrize("which", FAST)
@pytest.mark.parametrize("part", thinned(("a twelfth", "the others"), kept=("a twelfth",)))
def test_nothing_is_wrong_and_most_is_native(which, part, child):
    name, _, only = which.partition(" ")
    count, native = FAST[which]
    few = part == "a twelfth"
    shares = {"random": 0.25 if few else 1.0, "graphs": 0.15, "breaks": 0.15}
    share = shares.get(name, 0.0)
    chosen = units(name, only, share)[:count]
    # Of random programs the others are all of each unit, and the few a part of one.
    whole = name == "random" and not few
    taken = [x for i, x in enumerate(chosen) if whole or (i % 12 == 0) == few]
    judged = [j for unit in taken for j in child.judge(unit)]
    bad = [f"{j.name}: {j.verdict}" for j in judged if j.verdict.kind in ("wrong", "fault")]
    assert bad == []
    assert document.native_share(record.rows_of(judged)) >= native
