"""Recurrent layers in a training step: loops forward and back, however long they are."""

import pytest
import torch
from torch import nn

from compiler_core import explore
from compiler_core.capture.torch.dynamo.recurrence import recurrent_layers
from compiler_core.report import Options
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

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


@pytest.mark.parametrize("layer", thinned(LAYERS, kept=(nn.LSTM,)), ids=lambda c: c.__name__)
def test_a_training_step_of_a_recurrent_layer_is_a_loop_forward_and_back(layer):
    program = explored(layer, 150)
    assert program.summary.native_share == 1.0 and program.summary.launches_outside == 0
    loops = {k.graph: k for k in program.kernels if k.kind == "scan" and k.backend == "cpu"}
    roles = {g.id: g.role for g in program.graphs}
    assert {roles[graph] for graph in loops} == {"forward", "backward"}


@pytest.mark.parametrize("layer", LAYERS, ids=lambda c: c.__name__)
def test_a_recurrent_layer_is_one_loop_a_direction(layer):
    model = layer(3, 5, bidirectional=True)
    options = Options(measure=False)
    (program,) = explore(model, torch.randn(90, 2, 3), fuselab_options=options).programs
    assert program.numerics["core"].ok, program.numerics["core"].error
    own = [k for k in program.kernels if k.backend == "cpu"]
    assert [k.kind for k in own].count("scan") == 2 and len(own) < 25


def test_recurrent_layers_are_followed():
    with recurrent_layers() as layers:
        nn.Linear(3, 4)(torch.zeros(2, 3))
        assert not layers.followed
        nn.LSTM(3, 4, num_layers=2, bidirectional=True)(torch.zeros(7, 2, 3))
    assert layers.followed


def test_packed_sequences_are_not_followed():
    packed = nn.utils.rnn.pack_sequence([torch.zeros(3, 2), torch.zeros(1, 2)])
    with recurrent_layers() as layers:
        nn.RNN(2, 4)(packed)
    assert not layers.followed
