"""Snippets through the API, a real worker, its sandbox and the compiler, into a real database."""

import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compiler_core import report
from tests.browser.steps import RUN_MS

SNIPPETS = Path(__file__).parents[2] / "webapp" / "examples" / "snippets"
BROKEN = """\
import torch

@torch.compile
def f(x):
    return x + 1

f(torch.ones(3))
raise ValueError("on line 8")
"""
Explored = Callable[..., tuple[str, report.Report]]


def snippet(name: str) -> str:
    return (SNIPPETS / name).read_text()


@pytest.fixture
def explored(live_stack: str) -> Explored:
    """The state in which a run of a snippet ends, and its report."""
    runs = f"{live_stack}/api/v1/runs"

    def explore(source: str, **options: object) -> tuple[str, report.Report]:
        made = asked(runs, {"source": source, "options": options, "fresh": True})
        until = time.monotonic() + RUN_MS / 1000
        while (run := asked(f"{runs}/{made['id']}"))["state"] in ("queued", "running"):
            assert time.monotonic() < until, run["state"]
            time.sleep(0.1)
        return run["state"], report.decode_report(json.dumps(run["report"]).encode())

    return explore


def asked(url: str, content: object = None) -> Any:
    body = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def test_a_torch_program_is_compiled_and_measured(explored: Explored) -> None:
    found = is_whole(explored(snippet("06-rmsnorm-residual.py")), "torch")
    (program,) = found.programs
    assert set(program.timings) == set(program.numerics) == {"eager", "core"}
    assert program.numerics["core"].ok
    assert "interleaved" in found.protocol


def test_a_jax_program_is_compiled(explored: Explored) -> None:
    is_whole(explored(snippet("07-jax-linear-relu.py"), measure=False), "jax")


def is_whole(ended: tuple[str, report.Report], framework: str) -> report.Report:
    state, found = ended
    assert state == "done", found
    assert found.toolchain["torch"]
    (program,) = found.programs
    assert program.framework == framework
    assert {"captured", "triton", "c", "ptx"} <= kinds(program)
    assert program.kernels
    return found


def kinds(program: report.Program) -> set[str]:
    return {artifact.kind for stage in program.stages for artifact in stage.artifacts}


def test_a_broken_snippet_shows_what_it_reached(explored: Explored) -> None:
    state, found = explored(BROKEN, measure=False)
    assert state == "failed"
    assert found.error is not None and found.error.line == 8
    assert [program.status for program in found.programs] == ["ok"]
