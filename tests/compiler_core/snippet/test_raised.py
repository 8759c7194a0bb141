"""What a program raises where its framework runs it alone, and what is said to be done about it."""

from collections.abc import Callable

import jax.numpy as jnp
import pytest
import torch

from compiler_core.report import Framework
from compiler_core.snippet.raised import raised_by_program

pytestmark = pytest.mark.cpu
_BYTES = 1 << 50
ALLOCATED: dict[Framework, Callable[[], object]] = {
    "torch": lambda: torch.empty(_BYTES, dtype=torch.uint8),
    "jax": lambda: jnp.zeros(_BYTES, dtype="uint8").block_until_ready(),
}


@pytest.mark.parametrize("framework", ALLOCATED)
def test_too_little_memory_for_the_framework_asks_for_smaller_inputs(framework: Framework) -> None:
    with pytest.raises(RuntimeError) as raised:
        ALLOCATED[framework]()
    error = raised_by_program(raised.value, framework)
    assert "itself has not the memory for it: make the inputs smaller" in error.remedy


def test_what_is_raised_is_said_without_the_addresses_of_objects() -> None:
    """They differ from run to run."""
    error = raised_by_program(TypeError(f"no callable: {ALLOCATED['torch']!r}"), "torch")
    assert "no callable: <function <lambda>>" in error.message


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("function run at /home/x/compiler_core/snippet/a.py:2 traced", "function run traced"),
        ("made.<locals>.inner() got an unexpected keyword", "made.inner() got an unexpected"),
    ],
)
def test_what_is_raised_is_said_without_places_that_are_nobodys(raised: str, said: str) -> None:
    assert said in raised_by_program(TypeError(raised), "jax").message
