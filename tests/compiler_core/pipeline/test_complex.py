"""Programs that take and return complex tensors, which the IR has as pairs of real numbers: right,
and in the framework's own types."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

from compiler_core import report
from compiler_core.api.explore import explore
from tests.compiler_core.capture.oracle import captured

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

X = torch.linspace(-2, 2, 40).reshape(5, 8)

OF_TORCH = {
    "made": (lambda x: torch.polar(x, x), X),
    "computed": (lambda x: (torch.complex(x, x) * 2, x + 1), X),
    "transformed": (torch.fft.fft, X),
    "conjugated": (lambda x: torch.fft.fft(x).conj(), X),
    "negated": (lambda x: torch.fft.fft(x).conj().imag, X),
    "double": (lambda x: torch.fft.rfft(x.double()), X),
    "viewed": (lambda x: torch.view_as_complex(x.reshape(-1, 2)), X),
    "taken": (lambda z: z * 2, torch.complex(X, X)),
    "as_it_is": (lambda z: (z, z.real), torch.complex(X, X)),
}
OF_JAX = {
    "transformed": (jnp.fft.fft, jnp.asarray(X)),
    "taken": (lambda z: z * 2, jnp.asarray(X) * 1j),
}
PROGRAMS = [*OF_TORCH.values(), *OF_JAX.values()]
IDS = [*OF_TORCH, *(f"jax_{name}" for name in OF_JAX)]


@pytest.mark.parametrize(("program", "x"), PROGRAMS, ids=IDS)
def test_they_are_compared_with_float64(program, x):
    options = report.Options(measure=False, target="sm_90")
    (result,) = explore(program, x, fuselab_options=options).programs
    assert result.status == "ok", result.error
    assert {name: n.error for name, n in result.numerics.items()} == {"eager": "", "core": ""}


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_results_come_back_complex(framework):
    program, x = {"torch": OF_TORCH, "jax": OF_JAX}[framework]["transformed"]
    found = captured(framework, program, x)
    rebuilt = found.rebuild(found.eager(found.arguments))
    assert str(rebuilt.dtype).endswith("complex64") and tuple(rebuilt.shape) == (5, 8)
    np.testing.assert_allclose(np.asarray(rebuilt), np.fft.fft(np.asarray(X)), rtol=1e-5, atol=1e-5)
