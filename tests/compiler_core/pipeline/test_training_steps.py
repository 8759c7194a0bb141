"""Steps of training whose gradients are zero but for rounding: neither blamed nor believed."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from compiler_core import explore
from compiler_core.pipeline import evaluation, order
from compiler_core.pipeline.stage import Stage
from compiler_core.report import Numerics, Options
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu


def network(*rest):
    """The bias before the batch norm has the gradient zero, and Adam divides by its size."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(17, 33), nn.BatchNorm1d(33), nn.GELU(), *rest, nn.Linear(33, 5))


def clipped():
    model = network(nn.Dropout(0.2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def step(x, target):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    return step


def scheduled():
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)

    def step(x, target):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        scheduler.step()
        return loss

    return step


def accumulated():
    model = network(nn.LayerNorm(33), nn.Dropout(0.1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)

    def step(x, target):
        F.cross_entropy(model(x[:11]), target[:11]).backward()
        loss = F.cross_entropy(model(x[11:]), target[11:])
        loss.backward()
        optimizer.step()
        return loss

    return step


STEPS = thinned([clipped, scheduled, accumulated], kept=(clipped,))


@pytest.fixture(scope="module", params=STEPS, ids=lambda f: f.__name__)
def verdicts(request) -> list[Numerics]:
    """Of a step as it is compiled, and of the same with a gradient that is off by a hundredth."""
    found = []

    def remember(c):
        found.append(c.numerics["core"])

    def check_wrongly(c):
        for part, graph in zip(c.parts, c.captured.graphs, strict=True):
            if graph.role == "backward":
                part.executable = off(part.executable)
        evaluation.check_numerics(c)
        remember(c)

    stages = [s for s in order.PIPELINE if s.name not in ("compile", "precision", "disassemble")]
    stages += [Stage("remember", "numerics", remember), Stage("again", "numerics", check_wrongly)]
    torch.manual_seed(1)
    given = torch.randn(22, 17), torch.randint(0, 5, (22,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "PIPELINE", tuple(stages))
        (program,) = explore(
            request.param(), *given, fuselab_options=Options(measure=False)
        ).programs
    assert {g.role for g in program.graphs} >= {"forward", "backward"}
    assert {s.name for s in program.stages if s.status == "failed"} <= {"numerics"}
    return found


def off(executable):
    """Of the gradients of weights, the first: a norm that is clipped hides a common factor."""

    def run(*given):
        gradients = list(executable(*given))
        place = next(i for i, x in enumerate(gradients) if x.ndim == 2)
        gradients[place] = 1.01 * gradients[place]
        return gradients

    return run


def test_a_step_that_rounding_decides_is_right(verdicts):
    right, _ = verdicts
    assert right.ok, right.error


def test_a_gradient_that_is_off_by_a_hundredth_is_found_out(verdicts):
    _, wrong = verdicts
    assert not wrong.ok
