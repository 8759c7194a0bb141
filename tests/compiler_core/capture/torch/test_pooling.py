"""torch's pooling and its gradients are windows of the IR."""

import pytest
import torch
from torch.func import grad
from torch.nn import functional

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

torch.manual_seed(0)
X = torch.randn(2, 3, 9, 10)

PROGRAMS = {
    "with indices": lambda x: functional.max_pool2d(x, 3, 2, 1, return_indices=True),
    "overlapping": lambda x: functional.max_pool2d(x, (3, 2), (1, 2), dilation=(2, 1)),
    "line": lambda x: functional.max_pool1d(x[0], 3, 2, 1),
    "volume": lambda x: functional.max_pool3d(x[None], 2),
    "rounded up": lambda x: functional.max_pool2d(x, 3, 2, ceil_mode=True),
    "back into place": lambda x: functional.max_unpool2d(
        *functional.max_pool2d(x, 2, return_indices=True), 2
    ),
    "mean of a line": lambda x: functional.avg_pool1d(x[0], 3, 2, 1),
    "mean of a volume": lambda x: functional.avg_pool3d(x[None], 2, 1, 1),
    "mean, rounded up": lambda x: functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "mean, rounded up, without edges": lambda x: functional.avg_pool2d(
        x, 3, 2, 1, ceil_mode=True, count_include_pad=False
    ),
    "mean, rounded up, by seven": lambda x: functional.avg_pool2d(
        x, 3, 2, 1, ceil_mode=True, divisor_override=7
    ),
    "mean without edges": lambda x: functional.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "adaptive": lambda x: functional.adaptive_avg_pool2d(x, (3, 5)),
    "adaptive, uneven": lambda x: functional.adaptive_avg_pool2d(x, (4, 3)),
    "adaptive, one": lambda x: functional.adaptive_avg_pool2d(x, 1),
    "adaptive maximum": lambda x: functional.adaptive_max_pool2d(x, (3, 5)),
    "adaptive maximum, uneven": lambda x: functional.adaptive_max_pool2d(x, (4, 3)),
    "norm": lambda x: functional.lp_pool2d(x, 2, 3),
}
GRADIENTS = {
    name: grad(lambda x, f=PROGRAMS[name]: f(x).sin().sum())
    for name in (
        "overlapping", "volume", "rounded up", "mean of a volume", "mean, rounded up",
        "mean, rounded up, without edges", "mean, rounded up, by seven", "mean without edges",
        "adaptive",
    )
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_forwards(name):
    assert library_calls(agrees(captured("torch", PROGRAMS[name], X))) == []


@pytest.mark.parametrize("name", GRADIENTS)
def test_backwards(name):
    assert library_calls(agrees(captured("torch", GRADIENTS[name], X))) == []
