"""A compiler whose numbers are wrong is not shown as faster; a program is not "ok" that the core
gets wrong."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from compiler_core import explore
from compiler_core.pipeline import evaluation
from compiler_core.report import Options

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled", "measured_briefly")]


def plain(x):
    return x.tanh()


def drawing(x):
    return F.dropout(x, 0.5)


@pytest.mark.parametrize("fn", [plain, drawing], ids=lambda f: f.__name__)
def test_whoever_gives_a_wrong_result_is_neither_faster_nor_slower(monkeypatch, fn):
    made = evaluation.core

    def mistaken(*args):
        right = made(*args)
        return replace(right, outputs=lambda given: [y + 1 for y in right.outputs(given)])

    monkeypatch.setattr(evaluation, "core", mistaken)
    found = explore(fn, torch.randn(64, 30), fuselab_options=Options())
    (program,) = found.programs
    assert not program.numerics["core"].ok
    assert program.timings["core"].verdict == "wrong result"
    assert program.timings["eager"].verdict == ""
    assert ("draws other random numbers" in found.protocol) == (fn is drawing)
    assert program.status == "failed" and program.error.stage == "numerics"
    assert "another result than the framework" in program.error.message


def nucleus(logits):
    """As nucleus sampling moves its mask back to the order of the tokens."""
    ordered, places = torch.sort(logits, descending=True)
    remove = ordered.softmax(-1).cumsum(-1) > 0.9
    remove[..., 1:] = remove[..., :-1].clone()
    return remove.scatter(1, places, remove)


def added_to_itself(logits):
    x = logits * 2
    return x.index_add(0, torch.tensor([2, 0, 1, 1]), x), x.half().scatter_add(
        0, x.argsort(0), x.half()
    )


@pytest.mark.parametrize("fn", [nucleus, added_to_itself], ids=lambda f: f.__name__)
def test_what_is_scattered_into_itself_is_read_before_it_is_written(fn):
    logits = torch.randn(4, 50, generator=torch.Generator().manual_seed(0))
    (program,) = explore(fn, logits, fuselab_options=Options(measure=False)).programs
    assert program.error is None and program.numerics["core"].ok


# Whose decompositions by torch are others where an element is NaN or infinite: the sign of a NaN,
# for example, is 0.
SLOPES = {
    "smooth_l1_loss": lambda x: F.smooth_l1_loss(x, x.detach() * 0, beta=0.25),
    "soft_margin_loss": lambda x: F.soft_margin_loss(x, torch.ones_like(x)),
}


@pytest.mark.parametrize("name", SLOPES)
def test_a_gradient_at_nan_and_infinities_is_what_torchs_kernel_gives(name):
    x = torch.tensor([0.5, torch.nan, -3.0, torch.inf, 2.0, -torch.inf, 0.1, -0.1] * 4)

    def slope(x):
        x = x.detach().requires_grad_()
        (found,) = torch.autograd.grad(SLOPES[name](x), x)
        return found

    found = torch.compile(slope, backend="fuselab")(x)
    torch.testing.assert_close(found, slope(x), equal_nan=True)
