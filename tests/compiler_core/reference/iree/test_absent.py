"""IREE where it is not installed: said, with the command that installs it."""

import pytest
import torch

from compiler_core import capture, reference
from compiler_core.extras import environment
from compiler_core.snippet.program import FoundProgram
from tests.compiler_core.reference.looking import looked

ABSENT = "IREE is not installed here: make toolchain NAME=iree"


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch):
    monkeypatch.setattr(environment, "python_of", lambda name: None)


def test_it_is_skipped_where_it_would_be_timed():
    captured = capture.capture(FoundProgram("f", "torch", 1, torch.sin, (torch.ones(3),)))
    found = reference.prepare("iree", captured, "torch")
    assert (found.status, found.summary, found.runnable) == ("skipped", ABSENT, None)


def test_it_is_skipped_where_it_would_be_looked_into():
    source = (
        "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.sin()\n\n\nf(torch.ones(3))\n"
    )
    (program,) = looked(source, "iree").programs
    (stage,) = [s for s in program.stages if s.compiler == "iree"]
    assert (stage.status, stage.summary) == ("skipped", ABSENT) and program.status == "ok"
