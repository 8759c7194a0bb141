"""One guess tried."""

import resource
import types

import pytest

from compiler_core.inputs import calls
from compiler_core.snippet.guess.trial import Subject, abstractly
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def test_shapes_are_tried_in_jax_without_the_memory_that_their_values_would_take():
    subject = Subject(lambda x, z: (x.sum(), z.real), "jax", types.ModuleType("snippet"), "cpu")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (call,) = calls("f32[65536,8192], c64[4]")
    assert abstractly(subject, call).ok
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20, "KiB, of 2 GiB"


def test_what_an_uncalled_function_compiles_itself_is_not_run_without_values():
    """Code that TorchInductor generates reads memory, which shapes alone have not."""
    found = explore("""
        import torch
        x = torch.randn(5)

        def main():
            print(torch.compile(lambda x: x.sin() * 2)(x))
            return torch.compile(torch.cos)(x)
    """)
    assert [p.name for p in found.programs] == ["main"], found.error
