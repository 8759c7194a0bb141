"""What a compiler decided of two operations, by the units that each of them is in."""

from dataclasses import dataclass

import pytest

from compiler_core.reference.units_of_work import decisions


@dataclass(frozen=True)
class Dispatch:
    name: str
    nodes: tuple[int, ...]

    @property
    def kind(self) -> str:
        return f"a {self.name}"


FIRST = Dispatch("first", (0, 1, 2))
SECOND = Dispatch("second", (2, 3))


@pytest.mark.parametrize(
    ("edge", "fused"),
    [
        ((0, 1), [("first", "first", True)]),
        ((1, 3), [("first", "second", False)]),
        # Operation 2 is split over both, what it reads is in one of them, what reads it in another.
        ((1, 2), [("first", "first", True), ("first", "second", False)]),
        ((2, 3), [("second", "second", True)]),
        ((0, 4), []),
    ],
)
def test_an_edge_is_fused_as_far_as_a_unit_has_both(edge, fused):
    found = list(decisions("iree", [FIRST, SECOND], [(*edge, 64)]))
    assert [(d.from_, d.to, d.fused) for d in found] == fused
    assert {(d.from_nodes[0], d.to_nodes[0], d.bytes) for d in found} <= {(*edge, 64)}
    assert [d.reason for d in found if len(found) > 1 and not d.fused] == [
        "IREE gives no reason: the second is split, and a part of it is apart from the first, "
        "in a second"
    ] * (len(found) > 1)
