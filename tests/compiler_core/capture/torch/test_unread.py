"""What torch does not read is not read, so that a NaN there changes nothing."""

import functools
import itertools
import math

import pytest
import torch
from torch.nn import functional as F

from tests.compiler_core.capture.oracle import agrees, captured
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu
# As large as torch gives to BLAS, which reads nothing then; its own loops for smaller ones do.
SQUARE = torch.linspace(-3, 3, 144, dtype=torch.float64).cos().reshape(12, 12)
X = torch.linspace(-2, 2, 40, dtype=torch.float64).sin().reshape(8, 5)
TARGET = torch.tensor([0, 4, 2, 2, 1, 3, 0, 4])
LABELS = torch.tensor([[1, 3, -1, 0, 2], [-1, 0, 0, 0, 0], [4, 3, 2, 1, 0], [2, -1, -1, 3, 1]] * 2)


def with_nan(x, *places):
    x = x.clone()
    for place, value in zip(places, (torch.nan, torch.inf, -torch.inf), strict=False):
        x.view(-1)[place] = value
    return x


@pytest.mark.parametrize("x", [X, with_nan(X, 3, 17, 31)], ids=["numbers", "NaN"])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(
    ("loss", "target"),
    [
        (F.multi_margin_loss, TARGET),
        (functools.partial(F.multi_margin_loss, p=2, margin=0.3), TARGET),
        (functools.partial(F.multi_margin_loss, weight=X[0].abs()), TARGET),
        (F.multilabel_margin_loss, LABELS),
    ],
    ids=["margin", "squares", "weights", "labels"],
)
def test_margins_that_are_kept_add_nothing(loss, target, reduction, x):
    agrees(captured("torch", lambda a, b: loss(a, b, reduction=reduction), x, target))


@pytest.mark.parametrize(
    ("loss", "target"), [(F.multi_margin_loss, 3), (F.multilabel_margin_loss, [3, -1, 0, 1, 1])]
)
def test_a_loss_may_be_of_one_row(loss, target):
    of_one = functools.partial(loss, reduction="none")
    agrees(captured("torch", of_one, X[2], torch.tensor(target)))


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize(
    ("shape", "mode"),
    [((1, 2, 9), "linear"), ((1, 2, 5, 4), "bilinear"), ((1, 1, 3, 4, 3), "trilinear")],
)
@pytest.mark.parametrize("bad", thinned([False, True], kept=(True,)), ids=["numbers", "infinities"])
@pytest.mark.parametrize("how", [{"scale_factor": 2.5}, {"size": 7}], ids=["scale", "size"])
def test_infinities_are_weighed_with_their_neighbours(shape, mode, corners, bad, how):
    x = torch.arange(math.prod(shape), dtype=torch.float64).sin()
    x = with_nan(x, 4, 9, 15).reshape(shape) if bad else x.reshape(shape)
    interpolate = functools.partial(F.interpolate, mode=mode, align_corners=corners, **how)
    agrees(captured("torch", interpolate, x))


@pytest.mark.parametrize(("alpha", "beta"), [(0, 1), (0, 0), (1, 0), (0, 0.5)])
@pytest.mark.parametrize("name", ["addmm", "addmv", "baddbmm", "addbmm"])
def test_a_side_of_a_sum_that_is_multiplied_by_zero_is_not_read(name, alpha, beta):
    bad = with_nan(SQUARE, 8, 20)
    bias, product = (bad, SQUARE) if beta == 0 else (SQUARE, bad)
    if alpha == 0:
        product = bad
    right = SQUARE[0] if name == "addmv" else SQUARE
    if name in ("baddbmm", "addbmm"):
        product, right = product.unsqueeze(0), right.unsqueeze(0)
    bias = {"addmv": bias[1], "baddbmm": bias.unsqueeze(0)}.get(name, bias)
    fn = functools.partial(getattr(torch, name), alpha=alpha, beta=beta)
    agrees(captured("torch", fn, bias, product, right))


TRACED = {
    "labels": lambda x: F.multilabel_margin_loss(x, LABELS, reduction="none"),
    "margin": lambda x: F.multi_margin_loss(x, TARGET, reduction="none"),
    "images": lambda x: F.interpolate(x.view(1, 1, 8, 5), scale_factor=2, mode="bilinear"),
}


BAD = list(itertools.product(TRACED, (False, True)))
MET = (("labels", False), ("margin", True), ("images", True), ("images", False))


@pytest.mark.parametrize(("name", "bad"), thinned(BAD, MET))
def test_what_torch_compile_would_take_apart_is_the_same(name, bad):
    torch._dynamo.reset()
    fn = TRACED[name]
    x = (with_nan(X, 3, 17, 31) if bad else X).float().requires_grad_(not bad)
    found, wanted = torch.compile(fn, backend="fuselab")(x), fn(x)
    torch.testing.assert_close(found, wanted, equal_nan=True)
    if not bad:
        slopes = [torch.autograd.grad(y.sum(), x)[0] for y in (found, wanted)]
        torch.testing.assert_close(*slopes)
