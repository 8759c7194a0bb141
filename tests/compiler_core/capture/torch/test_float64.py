"""Torch programs of one graph in float64, whatever types they name."""

import numpy as np
import pytest
import torch
from torch import nn

from compiler_core.errors import NoReference
from tests.compiler_core.capture.oracle import captured

pytestmark = pytest.mark.cpu
X = torch.tensor([[0.1, 0.7, -1.3], [2.9, -0.4, 0.6]])


def exact(fn, *args):
    program = captured("torch", fn, *args)
    return program.exact(program.arguments)


def test_every_operation_is_in_float64():
    def program(x):
        return x.bfloat16().float() + torch.ones(3, dtype=torch.float32) / 3, (x + 1e8) - 1e8

    for got, want in zip(exact(program, X), (X.double() + 1 / 3, X.double()), strict=True):
        assert got.dtype is torch.float64
        np.testing.assert_allclose(got, want, atol=2e-8)


def test_a_modules_parameters_are_upcast_and_put_back():
    layer = nn.LSTM(3, 4)
    before = [p.detach().clone() for p in layer.parameters()]
    got, *_ = exact(layer, X)
    for now, then in zip(layer.parameters(), before, strict=True):
        assert now.dtype is torch.float32 and torch.equal(now, then)
    want, _ = layer.double()(X.double())
    np.testing.assert_allclose(got, want.detach(), rtol=1e-12)


def test_writes_to_arguments_are_results_and_leave_the_arguments():
    def program(x):
        x[0].mul_(2)
        return x + 1

    given = X.clone()
    first, second = exact(program, given)
    assert torch.equal(given, X) and second.dtype is torch.float64
    np.testing.assert_allclose(second[0], X[0].double() * 2)
    np.testing.assert_allclose(first, second + 1)


def test_complex_numbers_are_of_two_float64():
    (got,) = exact(lambda x: torch.fft.fft(x) * 1, X)
    want = torch.view_as_real(torch.fft.fft(X.double()) * 1)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_what_reads_bits_is_refused():
    with pytest.raises(NoReference, match="it reads the bits of floating-point numbers"):
        exact(lambda x: x.view(torch.int32), X)


def test_a_gradient_scaler_has_its_scale_in_single_precision():
    def program(x, found, inverse, scale, steps):
        torch._amp_foreach_non_finite_check_and_unscale_([x], found, inverse)
        torch._amp_update_scale_(scale, steps, found, 2.0, 0.5, 1)
        return x, scale

    scale = torch.tensor(4.0)
    steps = torch.zeros((), dtype=torch.int32)
    given = X.clone(), torch.zeros(()), scale.reciprocal(), scale, steps
    x, grown, *_ = exact(program, *given)
    np.testing.assert_allclose(x, X.double() / 4)
    assert grown == 8
