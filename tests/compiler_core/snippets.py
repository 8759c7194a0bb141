"""Finding a snippet's programs in tests."""

import textwrap
from dataclasses import dataclass

from compiler_core import report
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.run import find_programs

# A function of one framework, compiled and called.
TORCH = """
import torch
import torch.nn.functional as F

def f({parameters}):
    {body}

torch.compile(f)({arguments})
"""
JAX = """
import jax
import jax.numpy as jnp

def f({parameters}):
    {body}

jax.jit(f)({arguments})
"""


@dataclass(frozen=True)
class Found:
    programs: tuple[FoundProgram, ...]
    error: report.Failure | None
    notices: list[report.Notice]
    stdout: str
    stderr: str


def explore(source: str, **options) -> Found:
    """What a snippet gives on the CPU; its first line may be blank. Lines count from there."""
    events: list[report.Event] = []
    text = textwrap.dedent(source)
    result = find_programs(text, report.Options(**options), "cpu", events.append)
    applied = report.Report()
    for event in events:
        report.apply(applied, event)
    return Found(
        result.programs, result.error, applied.notices, applied.output.stdout, applied.output.stderr
    )
