"""Recurrent layers in a training step: few steps are followed, many stay in Python."""

import pytest
import torch
from torch import nn

from compiler_core import explore
from compiler_core.capture.torch.dynamo.recurrence import MOST, counted_steps
from compiler_core.report import Options

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]

LAYERS = (nn.LSTM, nn.GRU, nn.RNN)


def explored(layer, length):
    torch.manual_seed(0)
    model = layer(3, 5, batch_first=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = model(x)[0].square().mean()
        loss.backward()
        optimizer.step()
        return loss

    options = Options(measure=False)
    (program,) = explore(step, torch.randn(2, length, 3), fuselab_options=options).programs
    assert program.error is None
    assert program.numerics["core"].ok, program.numerics["core"].error
    return program


@pytest.mark.parametrize("layer", LAYERS, ids=lambda c: c.__name__)
def test_a_training_step_of_a_recurrent_layer_is_native(layer):
    program = explored(layer, 2)
    assert {"forward", "backward"} <= {g.role for g in program.graphs}
    assert program.summary.native_share == 1.0 and program.summary.launches_outside == 0


def test_a_long_recurrence_stays_in_python():
    program = explored(nn.GRU, MOST + 1)
    assert any("GRU" in b.reason for b in program.graph_breaks)


def test_steps_are_counted_over_layers_and_directions():
    with counted_steps() as steps:
        nn.LSTM(3, 4, num_layers=2, bidirectional=True)(torch.zeros(7, 2, 3))
        nn.GRU(3, 4, batch_first=True)(torch.zeros(2, 5, 3))
        nn.Linear(3, 4)(torch.zeros(2, 3))
    assert steps.count == 2 * 2 * 7 + 5 and steps.few


def test_packed_sequences_are_not_followed():
    packed = nn.utils.rnn.pack_sequence([torch.zeros(3, 2), torch.zeros(1, 2)])
    with counted_steps() as steps:
        nn.RNN(2, 4)(packed)
    assert not steps.few
