"""One program by several compilers, explored once for all tests of what each made of it."""

from functools import cache

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore

COMPILERS = ("core", "inductor", "inductor:dynamic", "xla")
SOURCE = """
import torch
import torch.nn.functional as F

def f(x, w):
    h = F.gelu(x @ w)
    return torch.softmax(h + x, -1)

f(torch.randn(64, 32), torch.randn(32, 32))
"""
# Without machine code of single kernels, and without times.
STAGES = tuple(s for s in PIPELINE if s.name not in ("compile", "precision", "disassemble"))


@cache
def compiled_by_each() -> report.Program:
    """The program with its figures and its timeline."""
    found = report.Report()
    asked = report.Options(compilers=COMPILERS, measure=False, timeline=True)
    explore(SOURCE, asked, lambda event: report.apply(found, event), stages=STAGES)
    (program,) = found.programs
    assert program.error is None
    return program
