"""What torch.compile raised in place of compiling `sampled/marked.txt`, in each version that there
is a folder of."""

from pathlib import Path

import pytest

from compiler_core.reference.dynamo.raised import raised
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Finding
from tests.compiler_core.reference.separated import parts

FOLDERS = sorted(Path(__file__).with_name("samples").glob("torch-*"))
pytestmark = [
    pytest.mark.null,
    pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name),
]


def findings(folder: Path) -> list[Finding]:
    """Of each function of the snippet, in order."""
    named = (part.partition("\n") for part in parts((folder / "raised/marked.txt").read_text()))
    errors = (type(name, (Exception,), {})(text) for name, _, text in named)
    return [raised(error, SourceLines(())) for error in errors]


def test_a_marked_size_is_told_with_what_it_has_to_fulfil(folder: Path) -> None:
    multiple, number, _ = findings(folder)
    for each in (multiple, number):
        assert (each.kind, each.category) == ("failed", "ConstraintViolationError")
        assert each.what.startswith("a size is marked with mark_dynamic")
        assert "maybe_mark_dynamic" in each.remedy
    assert multiple.why.startswith("not every value of x.size(0) (8 <= x.size(0) <= 512) fulfils")
    assert "x.size(0)" in number.why


def test_too_many_compilations_are_told_with_the_limit(folder: Path) -> None:
    often = findings(folder)[-1]
    assert often.category == "FailOnRecompileLimitHit"
    assert "fullgraph=True" in often.why and "recompile_limit" in often.remedy
