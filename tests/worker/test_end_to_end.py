"""Snippets through the real worker, sandbox and compiler, into a real database."""

from pathlib import Path

import pytest

from compiler_core.report import Program
from tests.worker.celery_worker import REAL, ended, enqueued, report_of, worker
from webapp.runs.models import Run

pytestmark = [
    pytest.mark.service,
    pytest.mark.cpu,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("empty_redis"),
]

SNIPPETS = Path(__file__).parents[2] / "webapp" / "examples" / "snippets"
BROKEN = """\
import torch

@torch.compile
def f(x):
    return x + 1

f(torch.ones(3))
raise ValueError("on line 8")
"""


def snippet(name: str) -> str:
    return (SNIPPETS / name).read_text()


def test_snippets_are_compiled() -> None:
    """In one worker: warming up takes longer than all of these."""
    with worker(REAL, FUSELAB_DEADLINE="60", FUSELAB_WARM_UP="120"):
        runs = [
            enqueued(snippet("01-bias-gelu.py")),
            enqueued(snippet("07-jax-linear-relu.py"), measure=False),
            enqueued(BROKEN, measure=False),
        ]
        torch_run, jax_run, broken = runs
        _is_whole(torch_run, "torch")
        _is_measured(torch_run)
        _is_whole(jax_run, "jax")
        _shows_what_was_reached(broken)


def _is_whole(run: Run, framework: str) -> None:
    assert ended(run, seconds=90) == "done", report_of(run)
    report = report_of(run)
    assert report.toolchain["torch"]
    (program,) = report.programs
    assert program.framework == framework
    assert {"captured", "triton", "c", "ptx"} <= _kinds(program)
    assert program.kernels


def _is_measured(run: Run) -> None:
    report = report_of(run)
    (program,) = report.programs
    assert set(program.timings) == set(program.numerics) == {"eager", "core"}
    assert program.numerics["core"].ok
    assert "interleaved" in report.protocol


def _kinds(program: Program) -> set[str]:
    return {artifact.kind for stage in program.stages for artifact in stage.artifacts}


def _shows_what_was_reached(run: Run) -> None:
    assert ended(run, seconds=60) == "failed"
    report = report_of(run)
    assert report.error is not None
    assert report.error.line == 8
    assert [program.status for program in report.programs] == ["ok"]
