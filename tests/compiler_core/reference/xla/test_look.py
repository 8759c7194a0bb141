"""XLA opened up, through the real compiler."""

from itertools import pairwise

import pytest

from compiler_core.reference.xla.dump import Dump
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

SNIPPET = """
import jax, jax.numpy as jnp

@jax.jit
def f(x, b):
    return jax.nn.gelu(x + b).sum(-1)

f(jnp.ones((8, 16)), jnp.ones(16))
"""


def test_a_pass_that_changed_the_module_is_a_stage_of_xla() -> None:
    (program,) = looked(SNIPPET, "xla").programs
    passes = stages_of(program, "xla")
    assert passes
    for stage in passes:
        before, after = stage.artifacts
        assert before.text != after.text
        assert before.text.startswith("HloModule") and after.text.startswith("HloModule")


def test_a_file_with_another_name_is_no_snapshot() -> None:
    texts = {
        "module_0001.jit_f.0002.simplification.after_algsimp.before_dce.txt": "b",
        "module_0001.jit_f.0001.simplification.after_pipeline-start.before_algsimp.txt": "a",
        "module_0001.jit_f.cpu_after_optimizations.txt": "c",
        "whatever.txt": "d",
    }
    found = Dump(None, texts).snapshots()
    assert [(s.order, s.pass_, s.text) for s in found] == [(1, None, "a"), (2, "algsimp", "b")]
    assert all(a.order < b.order for a, b in pairwise(found))
