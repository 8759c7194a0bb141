"""What JAX printed of a gradient step whose first argument is donated, in each version that there
is a folder of: `sampled/gradient.txt`."""

from pathlib import Path

import pytest

from compiler_core.reference.jax import arguments, jaxprs
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import CapturedOp

FOLDERS = sorted(Path(__file__).with_name("samples").iterdir())
LINES = SourceLines(
    (
        CapturedOp(0, "dot_general", 8, 18),
        CapturedOp(1, "tanh", 8, 9),
        CapturedOp(2, "custom_jvp_call", 9, 20),
        CapturedOp(3, "mul", 14, 16),
        CapturedOp(4, "sub", 14, 12),
    )
)
pytestmark = [
    pytest.mark.null,
    pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name),
]


def test_a_jaxprs_lines_lead_to_the_operations_at_their_places(folder: Path) -> None:
    shown = jaxprs.mapped("jaxpr", (folder / "jaxpr.txt").read_text(), LINES)
    of = dict(zip((x.strip() for x in shown.text.splitlines()), shown.nodes, strict=True))
    assert of["d:f32[8,3] = tanh c"] == [1] and of["w:f32[4,3] = sub a v"] == [4]


def test_no_place_is_shown_not_even_one_that_is_blank(folder: Path) -> None:
    shown = jaxprs.mapped("jaxpr", (folder / "jaxpr.txt").read_text(), LINES)
    assert "#" not in shown.text


def test_a_donated_argument_is_written_over_by_a_result(folder: Path) -> None:
    assert arguments.written_over((folder / "donated.mlir").read_text()) == {0: 0}
