"""torch's composite functions become the IR's own operations, and stay right."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

X = torch.linspace(-3, 3, 48).reshape(2, 4, 6)
IMAGE = torch.sin(torch.arange(2 * 4 * 3 * 3.0)).reshape(2, 4, 3, 3)
WEIGHT, BIAS = torch.linspace(0.5, 2, 6), torch.linspace(-1, 1, 6)

COMPOSITES = {
    "softmax": lambda x: torch.softmax(x, -1),
    "softmax over another dimension": lambda x: torch.softmax(x, 1),
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "logsumexp": lambda x: torch.logsumexp(x, 1, keepdim=True),
    "layer_norm": lambda x: F.layer_norm(x, (6,), WEIGHT.to(x.dtype), BIAS.to(x.dtype)),
    "layer_norm over two": lambda x: F.layer_norm(x, (4, 6)),
    "rms_norm": lambda x: F.rms_norm(x, (6,), WEIGHT.to(x.dtype)),
    "group_norm": lambda x: F.group_norm(x, 2),
    "batch_norm": lambda x: F.batch_norm(x, X[0, :, 0], X[1, :, 1].abs(), training=False),
    "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "mish": F.mish,
    "softplus": F.softplus,
    "elu": F.elu,
    "selu": F.selu,
    "hardswish": F.hardswish,
    "leaky_relu": F.leaky_relu,
    "var": lambda x: x.var(dim=(0, 2)),
    "std": lambda x: x.std(-1, correction=0),
    "normalize": F.normalize,
    "cross products": lambda x: torch.einsum("bik,bjk->bij", x, x),
    "mse_loss": lambda x: F.mse_loss(x, x.flip(0)),
    "huber_loss": lambda x: F.huber_loss(x, x.flip(0)),
    "binary_cross_entropy_with_logits": lambda x: F.binary_cross_entropy_with_logits(
        x, (x > 0).float()
    ),
    "glu": lambda x: F.glu(x, -1),
    "argmax": lambda x: x.argmax(-1),
    "max with its place": lambda x: torch.max(x, 1),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "causal attention": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
    "tril": torch.tril,
    "roll": lambda x: x.roll(2, 1),
    "diagonal": lambda x: torch.diagonal(x, 1, 1, 2),
    "cumsum": lambda x: x.cumsum(1),
    "floor_divide": lambda x: x // 0.7,
    "remainder": lambda x: x % 0.7,
    "constants": lambda x: x * torch.tensor(2.0) + torch.arange(6) + torch.eye(6)[0],
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_composite(name):
    result = agrees(captured("torch", COMPOSITES[name], X))
    assert library_calls(result) == []


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("name", ["softmax", "layer_norm", "rms_norm", "gelu", "silu", "var"])
def test_composite_in_another_type(name, dtype):
    result = agrees(captured("torch", COMPOSITES[name], X.to(dtype)))
    assert library_calls(result) == []


def test_half_precision_computes_in_single():
    result = captured("torch", COMPOSITES["softmax"], X.bfloat16())
    grown = next(n for n in result.graph.operations if n.op == "exponential")
    assert str(grown.result.type.dtype) == "f32"


MODULES = {
    "attention layer": (lambda: nn.MultiheadAttention(6, 2, batch_first=True), (X, X, X)),
    "LSTM": (lambda: nn.LSTM(6, 5, 2, batch_first=True), (X,)),
    "LSTM both ways": (lambda: nn.LSTM(6, 5, bidirectional=True, bias=False), (X,)),
    "GRU": (lambda: nn.GRU(6, 5, 2, bidirectional=True), (X,)),
    "GRU without biases": (lambda: nn.GRU(6, 5, bias=False, batch_first=True), (X,)),
    "RNN": (lambda: nn.RNN(6, 5, bidirectional=True), (X,)),
    "RNN with ReLU": (lambda: nn.RNN(6, 5, 2, nonlinearity="relu"), (X,)),
    "LSTM cell": (lambda: nn.LSTMCell(6, 5), (X[0],)),
    "batch norm": (lambda: nn.BatchNorm2d(4), (IMAGE,)),
    "sequence": (lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(inplace=True)), (X,)),
}


@pytest.mark.parametrize("name", MODULES)
def test_module_in_evaluation(name):
    torch.manual_seed(0)
    make, args = MODULES[name]
    result = agrees(captured("torch", make().eval(), *args))
    assert library_calls(result) == []


def test_what_has_no_rule_is_a_labelled_library_call():
    result = agrees(captured("torch", lambda x: torch.linalg.matrix_exp(x[..., :4]), X))
    assert library_calls(result) == ["aten.linalg_matrix_exp.default"]


def test_random_numbers_are_a_library_call():
    result = captured("torch", nn.Dropout(0.5), X)
    (call,) = (n for n in result.graph.operations if n.op == "library_call")
    assert call["callee"].reason == "draws random numbers"


def test_complex_numbers_pass_through_library_calls():
    agrees(captured("torch", lambda x: torch.fft.rfft(x).abs() + 1, X))


def test_inference_mode_takes_composites_apart():
    layer = nn.Linear(6, 3)
    result = agrees(captured("torch", torch.inference_mode()(layer.forward), X))
    assert library_calls(result) == []
