"""Every event of every program can be written as JSON, and is the same when it is read."""

import pytest

from compiler_core import report
from compiler_core.pipeline import order
from compiler_core.pipeline.order import explore
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

HEAD = "import numpy as np\nimport jax\nimport jax.numpy as jnp\nimport torch\n\n"
JAX = {
    "transpose": "jnp.transpose(x, tuple(np.array([1, 0])))",
    "slice": "x[np.int64(1):np.int64(3)]",
    "reshape": "x.reshape(tuple(np.array([2, 12])))",
    "broadcast": "jnp.broadcast_to(x, tuple(np.array([2, 4, 6])))",
    "pad": "jnp.pad(x, np.array([[1, 2], [0, 1]]))",
    "concatenate": "jnp.concatenate([x, x], axis=np.int64(1))",
    "reduce": "x.sum(axis=tuple(np.array([0])))",
    "product": "jnp.einsum('ij,kj->ki', x, x)",
    "number": "x * np.float32(2) + np.int64(3)",
    "softmax": "jax.nn.softmax(x, axis=np.int64(1))",
}
TORCH = {
    "transpose": "x.permute(*np.array([1, 0]).tolist())",
    "slice": "x[np.int64(1):np.int64(3)]",
    "reshape": "x.reshape(*map(int, np.array([2, 12])))",
    "sum": "x.sum(np.int64(1))",
    "number": "x * np.float32(2) + np.int64(3)",
    "integer": "(x * 3).to(torch.int32) // np.int64(2)",
}
BLOCK = """\
import jax
import jax.numpy as jnp
import numpy as np

L, D, H = 8, 16, 4


def norm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def block(p, x):
    qkv = norm(x) @ p["qkv"]
    q, k, v = (qkv[:, i * D : (i + 1) * D].reshape(L, H, D // H) for i in range(3))
    s = jnp.einsum("qhd,khd->hqk", q, k) / 2
    s = jnp.where(jnp.tril(jnp.ones((L, L), bool)), s, -jnp.inf)
    y = jnp.einsum("hqk,khd->qhd", jax.nn.softmax(s, -1), v).reshape(L, D)
    return x + jax.nn.gelu(y @ p["out"])


@jax.jit
def gradient(p, x):
    return jax.grad(lambda p: (block(p, x) ** 2).mean())(p)


rng = np.random.default_rng(0)
sizes = {"qkv": (D, 3 * D), "out": (D, D)}
params = {name: jnp.float32(rng.standard_normal(size)) for name, size in sizes.items()}
gradient(params, jnp.float32(rng.standard_normal((L, D))))
"""


@pytest.fixture(autouse=True)
def unmended(monkeypatch):
    """Events as the stages make them: what could not be written is not mended first."""
    monkeypatch.setattr(order, "writable", lambda emit: emit)


def result(source):
    result = report.Report()

    def emit(event):
        assert report.decode_event(report.encode_event(event)) == event
        report.apply(result, event)

    explore(source, report.Options(device="cpu", measure=False), emit)
    assert result.error is None
    assert [p.error for p in result.programs] == [None]
    return result.programs[0]


def test_the_gradient_of_a_transformer_block():
    assert result(BLOCK).numerics["core"].ok


# All expressions of a framework are one program, whose events name every one of them.
@pytest.mark.parametrize("gradient", thinned([False, True], kept=(True,)))
def test_numbers_of_numpy_in_a_jax_program(gradient):
    returned = ", ".join(JAX.values())
    body = f"@jax.jit\ndef f(x):\n    return {returned}\n\n\n"
    squares = "jax.jit(jax.grad(lambda x: sum((y**2).sum() for y in f(x))))"
    result(f"{HEAD}{body}{squares if gradient else 'f'}(jnp.ones((4, 6)))\n")


def test_numbers_of_numpy_in_a_torch_program():
    returned = ", ".join(TORCH.values())
    result(f"{HEAD}@torch.compile\ndef f(x):\n    return {returned}\n\n\nf(torch.ones(4, 6))\n")
