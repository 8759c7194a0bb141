"""A sample run by its framework in other types."""

import math

import numpy as np
import torch
from jax import numpy as jnp

from conformance import framework
from conformance.sample import Sample


def projected(x):
    return torch.randn(30, 20, dtype=x.dtype) + x @ torch.randn(30, 20, dtype=x.dtype)


def test_in_float64_a_program_has_the_random_numbers_that_it_drew():
    x = torch.randn(30, 30, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))
    sample = Sample("projected", "torch", projected, (x,))
    own = framework.run(sample).result
    exact = framework.in_float64(sample, True, framework.drawn(sample)).result
    assert exact[0].dtype is torch.float64
    torch.testing.assert_close(own[0].double(), exact[0], rtol=1e-4, atol=1e-4)
    assert not torch.allclose(own[0].double(), framework.in_float64(sample, True).result[0])


def test_a_program_that_draws_nothing_is_given_nothing():
    assert framework.drawn(Sample("sine", "torch", torch.sin, (torch.ones(3),))) is None


def test_in_float64_a_jax_program_computes_in_it_whichever_types_it_names():
    named = Sample("named", "jax", lambda x: jnp.tanh(x.astype(jnp.float32)), (np.float32([0.3]),))
    (own,), (exact,) = (framework.in_float64(named, mode).result for mode in (False, True))
    assert own.dtype is torch.float32
    assert abs(exact.item() - math.tanh(np.float32(0.3))) < 1e-15
