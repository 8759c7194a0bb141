"""TVM where it is not installed: said, with the command that installs it."""

import torch

from compiler_core import capture, reference
from compiler_core.extras import environment
from compiler_core.snippet.program import FoundProgram
from tests.compiler_core.reference.looking import looked

ABSENT = "TVM is not installed here: make toolchain NAME=tvm"


def test_it_is_skipped_with_the_command(monkeypatch):
    monkeypatch.setattr(environment, "python_of", lambda name: None)
    captured = capture.capture(FoundProgram("f", "torch", 1, torch.sin, (torch.ones(3),)))
    found = reference.prepare("tvm", captured, "torch")
    assert (found.status, found.summary, found.runnable) == ("skipped", ABSENT, None)
    source = (
        "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.sin()\n\n\nf(torch.ones(3))\n"
    )
    (program,) = looked(source, "tvm").programs
    (stage,) = [s for s in program.stages if s.compiler == "tvm"]
    assert (stage.status, stage.summary) == ("skipped", ABSENT) and program.status == "ok"
