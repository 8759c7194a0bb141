"""Locations as MLIR prints them."""

import pytest

from compiler_core.reference.iree import mlir

TABLE = """\
%0 = a.b %1 : tensor<8xf32> {place}
#loc1 = loc("ops:1")
#loc2 = loc("ops:2,3")
#loc4 = loc(callsite(#loc1 at #loc2))
#loc5 = loc(fused[#loc1, #loc2])
#loc6 = loc("other(1)":3:4)
"""


@pytest.mark.parametrize(
    ("place", "ids"),
    [
        ("loc(#loc1)", [1]),
        ("loc(#loc2)", [2, 3]),
        ("loc(#loc4)", [1]),
        ("loc(#loc5)", [1, 2, 3]),
        ("loc(#loc6)", []),
        ("loc(unknown)", []),
        ('loc("ops:7")', [7]),
        ('loc(fused["ops:7", "a\\"b)"])', [7]),
        ('loc(callsite("x.py":1:2 at "ops:5"))', [5]),
        ("", []),
    ],
)
def test_a_line_has_the_ids_of_its_location(place, ids):
    text = mlir.read(TABLE.format(place=place))
    assert text.lines == ("%0 = a.b %1 : tensor<8xf32>",) and text.nodes == (ids,)


def test_locations_of_a_blocks_arguments_are_not_the_lines():
    text = mlir.read('^bb0(%in: f32 loc("ops:1"), %out: f32 loc(unknown)):\n')
    assert text.lines == ("^bb0(%in: f32, %out: f32):",) and text.nodes == ([],)
