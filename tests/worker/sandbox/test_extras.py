"""Compilers in environments of their own, in the worker's sandbox."""

from collections.abc import Iterator
from functools import reduce

import pytest

from compiler_core.report import Options, Report, apply
from worker.sandbox.limits import Limits
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session

pytestmark = [pytest.mark.service, pytest.mark.timeout(240)]

TORCH = """
import torch


@torch.compile
def f(x, b):
    return torch.relu(x + b).sum(0)


f(torch.ones(8, 16), torch.ones(16))
"""
TENSORFLOW = """
import tensorflow as tf


@tf.function(jit_compile=True)
def f(x, b):
    return tf.reduce_sum(tf.nn.relu(x + b), 0)


f(tf.ones((8, 16)), tf.ones((16,)))
"""


@pytest.fixture(scope="module")
def real() -> Iterator[ForkServer]:
    with ForkServer(warm_up_s=120) as server:
        yield server


def ran(server: ForkServer, source: str, options: Options) -> Report:
    session = Session(server, Request(source, options), Limits())
    events = [event for batch in session.batches() for event in batch]
    return reduce(apply, events, Report())


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.extra(n)) for n in ("iree", "tvm")]
)
def test_a_compiler_of_its_own_environment_runs_within_the_walls(real: ForkServer, name) -> None:
    found = ran(real, TORCH, Options(compilers=("core", name), insides=(name,)))
    (program,) = found.programs
    assert found.error is None and program.status == "ok"
    assert program.numerics[name].ok and program.timings[name].median_us > 0
    (end,) = [s for s in program.stages if s.compiler == name and s.name == "insides"]
    assert end.status == "ok", end.summary


@pytest.mark.extra("tensorflow")
def test_a_tensorflow_snippet_runs_within_the_walls(real: ForkServer) -> None:
    found = ran(real, TENSORFLOW, Options(measure=False))
    (program,) = found.programs
    assert found.error is None and program.status == "ok" and program.numerics["core"].ok
