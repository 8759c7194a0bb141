"""Where torch was told to be deterministic, nothing shown depends on an order of updates."""

import pytest
import torch
import torch.nn.functional as F

from compiler_core import explore, report
from compiler_core.pipeline import explore as explore_text
from tests.compiler_core.pipeline.faults import Recorder

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]
OPTIONS = report.Options(device="cpu", target="sm_90", measure=False)


@pytest.fixture(autouse=True)
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


def embedded_and_added(i, x, u):
    return F.embedding(i, x), torch.zeros(90, 8).index_add(0, i, u)


def changed_and_added(i, x, u):
    return u.sin(), x.index_add(0, i, u.sin())


def added_twice(i, x, u):
    return x.index_add(0, i, u), x.index_add(0, i, u.tanh())


def copied(i, x, u):
    return u.sin(), x.index_copy(0, i, u)


def forms(program):
    """The chosen forms of the scatters on the GPU."""
    ways = [k.candidates for k in program.kernels if k.backend == "gpu"]
    ways = [c for c in ways if {x.strategy for x in c} == {"atomic", "by rows"}]
    return [next(x.strategy for x in c if x.chosen) for c in ways]


@pytest.mark.parametrize(
    "fn, count",
    [(embedded_and_added, 1), (changed_and_added, 1), (added_twice, 2), (copied, 1)],
)
def test_a_scatter_beside_other_results_has_a_kernel_of_its_own(fn, count):
    generator = torch.Generator().manual_seed(0)
    i = torch.randint(0, 90, (40,), generator=generator)
    x, u = torch.randn(90, 8, generator=generator), torch.randn(40, 8, generator=generator)
    (program,) = explore(fn, i, x, u, fuselab_options=OPTIONS).programs
    assert program.status == "ok" and not [s for s in program.stages if s.status == "failed"]
    assert forms(program) == ["by rows"] * count
    reasons = [r.reason for r in program.fusion_refusals if r.backend == "gpu"]
    said = any(r.startswith("torch was told to be deterministic: a kernel") for r in reasons)
    assert said is (fn is changed_and_added)  # siblings have no reason, as no value joins them


SYMBOLIC = """\
# inputs: i64[B=32], f32[90,8], f32[B,8]
import torch
import torch.nn.functional as F
torch.use_deterministic_algorithms(True)

def f(i, x, u):
    return F.embedding(i, x), x.index_add(0, i, u)
"""


def test_updates_may_be_so_many_as_the_call_says():
    recorded = Recorder()
    explore_text(SYMBOLIC, OPTIONS, recorded)
    (program,) = recorded.report.programs
    assert program.status == "ok" and not [s for s in program.stages if s.status == "failed"]
    assert program.inputs == ["i64[B=32]", "f32[90,8]", "f32[B=32,8]"]
    assert forms(program) == ["by rows"]
