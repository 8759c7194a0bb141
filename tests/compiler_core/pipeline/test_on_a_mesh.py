"""Snippets with NamedSharding of their own, through the whole pipeline: checked, timed and looked
into."""

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from tests.compiler_core.on_a_mesh import DEVICES

pytestmark = pytest.mark.cpu

HEAD = """
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
"""
SNIPPETS = {
    "shardings of jax.jit": """
mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("data", "model"))
batch, column = NamedSharding(mesh, P("data", None)), NamedSharding(mesh, P(None, "model"))

def layer(x, w, b):
    h = jax.nn.gelu(x @ w + b)
    return h / jnp.linalg.norm(h, axis=-1, keepdims=True)

layer = jax.jit(layer, in_shardings=(batch, column, NamedSharding(mesh, P())), out_shardings=batch)
x = jax.device_put(jax.random.normal(jax.random.key(0), (64, 32)), batch)
w = jax.device_put(jax.random.normal(jax.random.key(1), (32, 48)), column)
print(layer(x, w, jnp.zeros((48,))).sharding)
""",
    "a mesh that stays set": """
mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Explicit))
jax.set_mesh(mesh)
a = jax.device_put(jnp.arange(64.0).reshape(8, 8), P("x", None))
b = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P(None, "y")))

@jax.jit
def f(a, b):
    return jnp.sin(a @ b) + 1

f(a, b)
""",
    "a function that is not compiled": """
mesh = jax.make_mesh((4,), ("d",), axis_types=(AxisType.Auto,))
jax.set_mesh(mesh)

def softmax(x):
    x = jax.lax.with_sharding_constraint(x, P("d"))
    e = jnp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

softmax(jax.device_put(jnp.ones((128, 256)), NamedSharding(mesh, P("d"))))
""",
}


def whole(source: str) -> report.Report:
    found = report.Report()
    options = report.Options(compilers=("core", "xla"), insides=("sharding",), devices=DEVICES)
    explore(source, options, lambda event: report.apply(found, event))
    return found


@pytest.mark.parametrize("name", SNIPPETS)
def test_it_is_checked_timed_and_looked_into(name, mesh_process):
    found = mesh_process.submit(whole, HEAD + SNIPPETS[name]).result()
    (program,) = found.programs
    assert program.error is None and program.status == "ok"
    assert {n: x.ok for n, x in program.numerics.items()} == dict.fromkeys(
        ("eager", "core", "xla"), True
    )
    assert set(program.timings) == {"eager", "core", "xla"}
    looked = {s.name: s.status for s in program.stages if s.compiler == "sharding"}
    assert looked and set(looked.values()) == {"ok"}
    assert {"partitioned", "arrays"} <= set(looked)
