"""Programs of a snippet that is run, and the shapes that they were called with."""

from tests.compiler_core.snippets import explore

TORCH = "import torch\nfrom torch import nn\n"
JAX = "import jax\nimport jax.numpy as jnp\n"
FUNCTION = TORCH + "def f(x, k: int = 2):\n    return x * k\n"


def shapes(program):
    return [tuple(x.shape) for x in program.args if hasattr(x, "shape")]


def only(source, **options):
    (program,) = explore(source, **options).programs
    return program
