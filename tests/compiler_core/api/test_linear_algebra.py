"""Inverses and their kin: torch keeps their checks in order by tokens, which are no tensors."""

import warnings

import pytest
import torch

from compiler_core.api import dynamo_backend

pytestmark = pytest.mark.cpu

PROGRAMS = {
    "inv": lambda x: torch.linalg.inv(x).sum(),
    "cholesky": lambda x: torch.linalg.cholesky(x).sum(),
}
REGULAR = torch.eye(3) * 2 + 0.5


def compiled(fn):
    torch._dynamo.reset()
    return torch.compile(fn, backend=dynamo_backend.fuselab)


def gradient(fn):
    x = REGULAR.clone().requires_grad_()
    fn(x).backward()
    return x.grad


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error", dynamo_backend.FuselabFallback)
        torch.testing.assert_close(gradient(compiled(PROGRAMS[name])), gradient(PROGRAMS[name]))


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_has_no_result_is_an_error(name, grad):
    program = compiled(PROGRAMS[name])
    with torch.set_grad_enabled(grad):
        program(REGULAR.clone().requires_grad_(grad))
        with pytest.raises(torch.linalg.LinAlgError, match=f"linalg.{name}"):
            program(-torch.ones(3, 3, requires_grad=grad))
