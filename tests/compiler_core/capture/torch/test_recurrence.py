"""torch's recurrent layers as loops: the same numbers and gradients as torch's own."""

import pytest
import torch
from torch import nn

from compiler_core.capture.torch.compositions.recurrence import FUNCTIONS

pytestmark = pytest.mark.cpu

LAYERS = {
    torch.gru: nn.GRU,
    torch.lstm: nn.LSTM,
    torch.rnn_tanh: nn.RNN,
    torch.rnn_relu: lambda *sizes, **given: nn.RNN(*sizes, **given, nonlinearity="relu"),
}


@pytest.mark.parametrize("function", LAYERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "options",
    [{}, {"num_layers": 2, "bidirectional": True}, {"bias": False, "batch_first": True}],
    ids=["plain", "two layers of both directions", "without biases, batches first"],
)
def test_it_has_torchs_numbers_and_gradients(function, options):
    torch.manual_seed(0)
    layer = LAYERS[function](3, 4, **options, dtype=torch.float64)
    x = torch.randn(5, 5, 3, dtype=torch.float64, requires_grad=True)
    count = layer.num_layers * (1 + layer.bidirectional)
    states = torch.randn(2 if function is torch.lstm else 1, count, 5, 4, dtype=torch.float64)
    states.requires_grad_()
    first = list(states) if function is torch.lstm else states[0]
    given = (
        x, first, layer._flat_weights, layer.bias, layer.num_layers, 0.0, False,
        layer.bidirectional, layer.batch_first,
    )  # fmt: skip

    def found(compute):
        results = compute(*given)
        loss = sum(result.sin().sum() for result in results)
        return *results, *torch.autograd.grad(loss, [x, states, *layer.parameters()])

    for own, torchs in zip(found(FUNCTIONS[function]), found(function), strict=True):
        torch.testing.assert_close(own, torchs, rtol=1e-12, atol=1e-12)


def test_packed_sequences_and_no_time_are_left_to_torch():
    layer = nn.GRU(3, 4)
    packed = nn.utils.rnn.pack_sequence([torch.zeros(3, 3), torch.zeros(1, 3)])
    rest = (layer._flat_weights, True, 1, 0.0, False, False)
    loop = FUNCTIONS[torch.gru]
    assert loop(packed.data, packed.batch_sizes, torch.zeros(1, 2, 4), *rest) is NotImplemented
    assert loop(torch.zeros(0, 2, 3), torch.zeros(1, 2, 4), *rest, False) is NotImplemented
