"""torch's own transformer layers, whose attention splits heads behind transposed views."""

from itertools import product

import pytest

from compiler_core import report
from compiler_core.pipeline import explore

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

SNIPPET = """\
import torch

layer = torch.nn.{layer}(64, 4, 128, dropout=0.0, batch_first={batch_first}).{mode}()
x = torch.randn(5, 7, 64)
with torch.set_grad_enabled({grad}):
    torch.compile(layer)({arguments})
"""
LAYERS = {"TransformerEncoderLayer": "x", "TransformerDecoderLayer": "x, x"}
MET = (("TransformerEncoderLayer", True, "eval"), ("TransformerDecoderLayer", False, "train"))
# Each layer takes one of the four; the sweep the others.
CASES = [
    pytest.param(
        *(layer, batch_first, mode),
        id=f"{layer}-batch_first={batch_first}-{mode}",
        marks=[] if (layer, batch_first, mode) in MET else [pytest.mark.sweep],
    )
    for layer, batch_first, mode in product(LAYERS, (False, True), ("eval", "train"))
]


def program_of(source, **options):
    result = report.Report()
    wanted = report.Options(measure=False, device="cpu", **options)
    explore(source, wanted, lambda event: report.apply(result, event))
    assert result.error is None
    (program,) = result.programs
    return program


@pytest.mark.parametrize(("layer", "batch_first", "mode"), CASES)
def test_a_layer_computes_what_eager_does(layer, batch_first, mode):
    source = SNIPPET.format(
        layer=layer, batch_first=batch_first, mode=mode, grad=mode == "train",
        arguments=LAYERS[layer],
    )  # fmt: skip
    program = program_of(source)
    assert program.error is None
    assert program.numerics["core"].ok
    assert program.summary.native_share == 1.0


@pytest.mark.parametrize(
    "view",
    [
        "x.transpose(0, 1).reshape(7, 5, 4, 16)",
        "x.transpose(0, 1).reshape(7, 20, 16)",
        "x.transpose(0, 1).reshape(7, 20, 16) @ w[:16]",
        "(x + 1).transpose(0, 2).reshape(-1, 4) @ w[:4]",
    ],
)
def test_a_reshape_that_splits_what_a_transpose_moved_is_copied_over_the_transposes_loop(view):
    source = f"# inputs: f32[5,7,64], f32[64,64]\nimport torch\n\ndef f(x, w):\n    return {view}\n"
    program = program_of(source)
    assert program.error is None
    assert program.numerics["core"].ok


def test_an_lstm_leaves_its_workspace_to_torch():
    program = program_of(
        """\
import torch

layer = torch.nn.LSTM(5, 6, batch_first=True).eval()
with torch.no_grad():
    torch.compile(layer)(torch.randn(3, 2, 5))
"""
    )
    assert program.error is None
    assert program.numerics["core"].ok
