"""NumPy in the middle, and callbacks, in the framework's own functions."""

import pytest

from compiler_core.remedy.change import Refused
from tests.compiler_core.remedy.remedying import JAX, TORCH, asked, changed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.sort(x.numpy(), axis=0)", "torch.sort(x, dim=0).values"),
        ("np.max(x.numpy(), 1)", "torch.amax(x, 1)"),
    ],
)
def test_what_torch_calls_otherwise_gives_the_same(before, after):
    head = TORCH + "import numpy as np\n"
    body = "def f(x):\n    return torch.from_numpy({})  # here\n"
    new = changed(head, body.format(before), "host sync")
    assert new == f"def f(x):\n    return {after}  # here\n"


def test_numpy_in_the_middle_is_torchs():
    head = TORCH + "import numpy as np\n"
    before = (
        "def f(x):\n    y = np.sum(np.tanh(x.detach().cpu().numpy()), axis=-1)  # here\n"
        "    return torch.from_numpy(y) * 2\n"
    )
    after = "def f(x):\n    y = torch.sum(torch.tanh(x), dim=-1)  # here\n    return y * 2\n"
    assert changed(head, before, "graph break") == after


def test_what_torch_has_no_function_of_is_said():
    source = (
        "import torch\nimport numpy as np\ndef f(x):\n    return np.unwrap(x.numpy())  # here\n"
    )
    found = asked(source, "graph break")
    assert isinstance(found, Refused) and "unwrap" in found.reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("jax.pure_callback(np.tanh, x, x)", "jnp.tanh(x)"),
        ("jax.pure_callback(lambda a: np.sin(a) + 1, x, x)", "(lambda a: jnp.sin(a) + 1)(x)"),
    ],
)
def test_a_callback_is_computed_by_jax(before, after):
    head = JAX + "import numpy as np\n"
    body = "def f(x):\n    return {} * 2  # here\n"
    assert changed(head, body.format(before), "host sync") == body.format(after)


def test_a_callbacks_own_function_is_written_with_jax():
    head = JAX + "import numpy as np\n"
    before = (
        "def h(a):\n    return np.sin(a)\n\n"
        "def f(x):\n    return jax.pure_callback(h, x, x)  # here\n"
    )
    after = "def h(a):\n    return jnp.sin(a)\n\ndef f(x):\n    return h(x)  # here\n"
    assert changed(head, before, "host sync") == after
