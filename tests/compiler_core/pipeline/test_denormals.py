"""Denormal numbers: zeros in a JAX program on a CPU, as XLA has them; kept in a PyTorch program."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
import torch

from compiler_core.backends.registry import running
from compiler_core.interop.arrays import to_torch_all
from compiler_core.pipeline.one_graph import plan_of
from tests.compiler_core.capture.oracle import captured, to_numpy
from tests.compiler_core.pipeline.varying import explored, text

pytestmark = pytest.mark.cpu

# Enough elements for every thread, a product, and a reduction.
LEAST = np.full((512, 512), 1e-40, np.float32)


def program(module, x):
    return x + 0, module.exp(x - 95), x @ x.T + x, (x * 0.5).sum(1)


def results(framework, flushes, fn=program, x=LEAST):
    module, x = (jnp, jnp.asarray(x)) if framework == "jax" else (torch, torch.tensor(x))
    found = captured(framework, lambda x: fn(module, x), x)
    backend = running("cpu")
    plan = replace(plan_of(found.whole.graph, backend), flushes_denormals=flushes)
    own = backend.build(backend.emit(plan))(to_torch_all(found.arguments))
    return [to_numpy(y) for y in own], [to_numpy(y) for y in found.eager(found.arguments)]


def test_a_jax_program_has_xlas_results_to_the_bit_where_they_are_denormal() -> None:
    own, eager = results("jax", flushes=True)
    for ours, theirs in zip(own, eager, strict=True):
        assert not theirs.any() and not ours.any()


def test_a_jax_program_keeps_denormal_numbers_of_16_bits_as_xla_does() -> None:
    every = np.arange(-(2**15), 2**15).astype(np.int16).view(np.float16)
    own, eager = results("jax", True, lambda module, x: (x[::-1], x.astype(module.float32)), every)
    for ours, theirs in zip(own, eager, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_no_thread_flushes_afterwards() -> None:
    results("jax", flushes=True)
    kept = torch.tensor(LEAST).expand(64, 512, 512) * 1.0  # by all threads of the pool
    assert kept.ne(0).all()
    assert 2.0**-1070 * 1.0 != 0.0


def test_a_torch_program_keeps_them_as_torch_does() -> None:
    own, eager = results("torch", flushes=False)
    assert own[0].all() and eager[0].all()
    np.testing.assert_array_equal(own[0], eager[0])


@pytest.mark.parametrize("framework, flushes", [("jax", True), ("torch", False)])
def test_which_of_both_it_is_goes_by_the_framework(framework, flushes) -> None:
    imports = "import torch" if framework == "torch" else "import jax"
    (program,) = explored(f"# inputs: f32[64]\n{imports}\ndef f(x):\n    return x * 2\n").programs
    assert program.framework == framework
    assert ("flush_denormals(1)" in text(program, "c")) is flushes
