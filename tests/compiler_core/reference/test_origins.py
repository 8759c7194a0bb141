"""From what torch notes of a node to the captured operations."""

import pytest

from compiler_core.reference.origins import Origin, ids_of
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import CapturedOp

pytestmark = pytest.mark.null

LINES = SourceLines(
    (
        CapturedOp(0, "aten.add.Tensor", 3, 16),
        CapturedOp(1, "aten.gelu", 3, 9),
        CapturedOp(2, "aten.sum.dim_IntList", 4, 5),
        CapturedOp(3, "aten.mm", 4, 5),
    )
)


@pytest.mark.parametrize(
    "origins, ids",
    [
        ([Origin(3, 9, "aten.gelu"), Origin(3, 16, "aten.add.Tensor")], [0, 1]),
        ([Origin(4, 5, "aten.mm")], [3]),
        ([Origin(4, 5, "aten.mm"), Origin(4, 5)], [3]),
        ([Origin(4, 5, "aten.view")], [2, 3]),
        ([Origin(3, 40, "aten.gelu")], [1]),
        ([Origin(9, 1, "aten.gelu")], []),
    ],
)
def test_a_place_leads_to_the_operations_of_its_name_or_to_all_that_are_there(origins, ids):
    assert ids_of(LINES, origins) == ids
