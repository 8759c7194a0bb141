"""What torch.compile and jax.jit are told: that sizes vary, that an argument is traced."""

import pytest

from tests.compiler_core.remedy.remedying import JAX, TORCH, changed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@torch.compile\ndef f(x):\n    return x\n", "@torch.compile(dynamic=True)"),
        (
            "@torch.compile(fullgraph=True)\ndef f(x):\n    return x\n",
            "@torch.compile(fullgraph=True, dynamic=True)",
        ),
        ("g = torch.compile(f, dynamic=False)\n", "g = torch.compile(f, dynamic=True)"),
        ("g = torch.compile(f)\nh = torch.compile(k)\n", "g = torch.compile(f, dynamic=True)"),
        ("model.compile()\n", "model.compile(dynamic=True)"),
        ("model.compile(mode=m)\n", "model.compile(mode=m, dynamic=True)"),
    ],
)
def test_torch_compile_is_told_that_sizes_vary(before, after):
    line = 3 if before.startswith("@") else None
    text = changed(TORCH, before, "recompile", category="size", program=line)
    assert text.splitlines()[0] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@partial(jax.jit, static_argnames='n')", "@jax.jit"),
        ("@partial(jax.jit, static_argnums=1, donate_argnums=0)",
         "@partial(jax.jit, donate_argnums=0)"),
    ],
)  # fmt: skip
def test_a_static_argument_is_traced(before, after):
    head = JAX + "from functools import partial\n"
    body = f"{before}\ndef f(x, n):\n    return x * n\n"
    text = changed(head, body, "traced again", program=5)
    assert text.splitlines()[0] == after
