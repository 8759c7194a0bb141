"""What torch printed while it scripted and traced `sampled/traced.txt`, in each version that there
is a folder of."""

from pathlib import Path
from warnings import WarningMessage

import pytest

from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.torchscript import frozen, graph_text
from compiler_core.report import CapturedOp
from compiler_core.snippet.source import FILE
from tests.compiler_core.reference.separated import parts

FOLDERS = sorted(Path(__file__).with_name("samples").iterdir())
LINES = SourceLines((CapturedOp(0, "mul", 6, 16), CapturedOp(1, "relu", 17, 12)))
pytestmark = [
    pytest.mark.null,
    pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name),
]


@pytest.mark.parametrize("way", ["script", "trace"])
def test_a_graphs_lines_lead_to_the_operations_at_their_places(folder: Path, way: str) -> None:
    text = (folder / f"{way}.txt").read_text()
    shown = graph_text.artifact(text, LINES, columns=way == "script")
    (relu,) = (n for x, n in zip(shown.text.splitlines(), shown.nodes, strict=True) if "relu" in x)
    assert relu == [1] and "strides=" not in shown.text


def test_each_warning_says_what_the_trace_froze(folder: Path) -> None:
    class TracerWarning(Warning):
        pass

    said = [x for x in parts((folder / "warnings.txt").read_text()) if "deprecated" not in x]
    warned = (WarningMessage(x, TracerWarning, FILE, i) for i, x in enumerate(said))
    assert [each.what for each in frozen.of_warnings(warned)] == [
        "a branch, or the end of a loop, was decided by a tensor's value or size",
        "a tensor's value became a Python float",
        "the number of a tensor's rows became a Python number",
    ]
