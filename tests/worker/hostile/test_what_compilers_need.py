"""The walls let the real compilers do their work: the core with gcc and Triton, TorchInductor with
its headers and locks, XLA with its threads."""

import pytest

from compiler_core import report
from compiler_core.report import Options
from worker.sandbox.limits import Limits
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session

pytestmark = [pytest.mark.service, pytest.mark.cpu]

SNIPPET = """
import torch
import jax, jax.numpy as jnp

@torch.compile
def f(x, w):
    return torch.softmax(x @ w, -1)

@jax.jit
def g(x):
    return jnp.tanh(x).sum()

f(torch.ones(8, 16), torch.ones(16, 4))
g(jnp.ones(32))
"""


def test_a_torch_and_a_jax_program_go_through_every_compiler() -> None:
    options = Options(
        device="cpu", target="sm_90", compilers=("core", "inductor", "xla"), insides=("dynamo",)
    )
    with ForkServer() as server:
        server.wait()
        session = Session(server, Request(SNIPPET, options), Limits(deadline_s=300))
        whole = report.Report()
        for batch in session.batches():
            for event in batch:
                report.apply(whole, event)
    assert whole.error is None and not report.failed(whole)
    assert [program.name for program in whole.programs] == ["f", "g"]
    assert not [notice for notice in whole.notices if notice.level == "error"]
    stages = [stage for program in whole.programs for stage in program.stages]
    assert [stage.name for stage in stages if stage.status == "failed"] == []
    for program in whole.programs:
        assert {"eager", "core", "inductor", "xla"} <= program.timings.keys()
