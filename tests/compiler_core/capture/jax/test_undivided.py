"""A program that is divided among devices, captured as one of one device: with the same numbers, by
the core's own operations, at the same lines."""

import numpy as np
import pytest

from tests.compiler_core.on_a_mesh import HEAD, compared

pytestmark = pytest.mark.cpu

SHARD_MAP = "@jax.jit\n@partial(jax.shard_map, mesh=mesh, in_specs={0}, out_specs={1})\n"
DIVIDED = "x = jax.device_put(x, NamedSharding(mesh, P('data')))\n"
EXPLICIT = "mesh = jax.make_mesh((4, 2), ('data', 'model'))\n"

PROGRAMS = {
    "a constraint": DIVIDED + """
f = jax.jit(lambda x, w: lax.with_sharding_constraint(x @ w, NamedSharding(mesh, P(None, "model"))))
f(x, w)""",
    "shardings of jax.jit's": """
s = NamedSharding(mesh, P("data", "model"))
jax.jit(lambda x: jnp.sin(x).sum(0), in_shardings=s, out_shardings=NamedSharding(mesh, P()))(x)""",
    "axes that are types": EXPLICIT + DIVIDED + """
with jax.set_mesh(mesh):
    jax.jit(lambda x: jax.sharding.reshard(jnp.cos(x).T, P(None, "data")).sum(1))(x)""",
    "a mesh that is set": """
with jax.set_mesh(mesh):
    jax.jit(lambda x: lax.with_sharding_constraint(jnp.tanh(x), P("data")))(x)""",
    "a mesh by with": """
with mesh:
    jax.jit(lambda x: lax.with_sharding_constraint(jnp.tanh(x), P("data")))(x)""",
    "a sum": SHARD_MAP.format("(P(None, 'model'), P('model'))", "P()") + """
def f(x, w):
    return lax.psum(x @ w, "model")
f(x, w)""",
    "every collective": SHARD_MAP.format("P('data', 'model')", "P(('model', 'data'))") + """
def f(x):
    i = lax.axis_index("data") * 2 + lax.axis_index("model")
    y = lax.ppermute(x, "data", [(0, 1), (1, 2), (2, 3), (3, 0)])
    z = lax.all_gather(y, "model", axis=1, tiled=True)
    s = lax.psum_scatter(z, "data", scatter_dimension=1, tiled=True)
    t = lax.all_to_all(s, "data", 0, 1, tiled=True)
    m = lax.pmax(t, ("data", "model")) - lax.pmin(t, "data") + lax.pmean(t, "model")
    return jnp.concatenate([t, m]) * i
f(x)""",
    "one gathering over two axes": SHARD_MAP.format(
        "P(('data', 'model'))", "P(None, 'data'), check_vma=False"
    ) + """
def f(x):
    return lax.all_gather(x, ("data", "model"), axis=0, tiled=True)[:, :4]
f(x)""",
    "a loop within": SHARD_MAP.format("P('data')", "P('data')") + """
def f(x):
    step = lambda c, row: (c + lax.pmean(row, "data"), c * row)
    return lax.scan(step, lax.pcast(jnp.zeros(16), "data", to="varying"), x)[1]
f(x)""",
    "a constraint in a loop": """
s = NamedSharding(mesh, P("data"))
@jax.jit
def f(x):
    body = lambda i, c: lax.with_sharding_constraint(jnp.sin(c) + i, s)
    return lax.fori_loop(0, 3, body, x)
f(x)""",
    "a gradient": """
@partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P()), out_specs=P())
def loss(x, w):
    return lax.pmean((jax.nn.relu(x @ w) ** 2).mean(), "data")
jax.jit(jax.grad(loss, argnums=1))(x, w)""",
    "a map that nothing compiles": """
@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P())
def f(x):
    return lax.psum(x, "data")
f(x)""",
    "a map over devices": """
@partial(jax.pmap, axis_name="i", in_axes=(0, None))
def f(x, w):
    return x @ w / lax.psum(jnp.abs(x).sum() + 1, "i")
f(x.reshape(8, 4, 16), w)""",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_numbers_are_those_of_the_mesh(name, mesh_process):
    divided, alone, ops = mesh_process.submit(compared, PROGRAMS[name]).result()
    assert [x.shape for x in alone] == [x.shape for x in divided]
    for one, other in zip(divided, alone, strict=True):
        np.testing.assert_allclose(other, one, rtol=2e-5, atol=2e-5)
    assert "shard_map" not in ops and "sharding_constraint" not in ops


def lines(text: str) -> list[tuple[str, int | None]]:
    from compiler_core.capture import capture
    from tests.compiler_core.snippets import explore

    (program,) = explore(HEAD + text).programs
    return [(node.op, node.line) for node in capture(program).nodes]


def test_operations_are_at_the_lines_of_the_snippet(mesh_process):
    text = SHARD_MAP.format("P('data')", "P()") + (
        "def f(x):\n    y = jax.nn.relu(x)\n    return lax.psum(y, 'data')\nf(x)"
    )
    found = mesh_process.submit(lines, text).result()
    first = HEAD.count("\n") + 1
    assert ("max", first + 3) in found and ("psum", first + 4) in found


def test_a_mesh_of_one_device_is_no_library_call():
    from compiler_core.capture import capture
    from tests.compiler_core.snippets import explore

    source = HEAD.replace("np.array(jax.devices()).reshape(4, 2)", "[[jax.devices()[0]]]")
    text = SHARD_MAP.format("P('data')", "P()") + "def f(x):\n    return lax.psum(x, 'data')\nf(x)"
    (program,) = explore(source + text).programs
    ops = {node.op for node in capture(program).nodes}
    assert "psum" in ops and "shard_map" not in ops
