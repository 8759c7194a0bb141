"""JAX opened up: nothing of it is compiled or run, so these tests need no device."""

from types import SimpleNamespace

import pytest

from compiler_core import report
from compiler_core.reference.jax.look import look
from tests.compiler_core.on_a_mesh import HEAD
from tests.compiler_core.reference.looking import looked, stages_of

SNIPPET = """
import jax, jax.numpy as jnp
from functools import partial
from jax import grad

@jax.custom_vjp
def square(x): return x * x
square.defvjp(lambda x: (x * x, x), lambda x, g: (2 * x * g,))

@jax.checkpoint
def block(w, x): return jnp.tanh(x @ w)

def loss(w, x):
    return square(block(w, x)).sum() + jnp.exp(w).sum()

@partial(jax.jit, static_argnames=("steps",), donate_argnums=(0, 1))
def step(w, x, rate, *, steps=1):
    for _ in range(steps):
        w = w - rate * jax.vmap(grad(loss), in_axes=(None, 0))(w, x).mean(0)
    return w

w, x = jnp.ones((3, 4)), jnp.ones((2, 5, 3))
step(w, x, 0.1)
step(w, x[:, :4], 0.1)
step(w, x, jnp.float32(0.1))
step(w, x, 0.1, steps=2)
step(w, x, 0.2)
"""
STEP = 19


@pytest.fixture(scope="module")
def program() -> report.Program:
    (found,) = looked(SNIPPET, "jax").programs
    return found


@pytest.fixture(scope="module")
def stages(program: report.Program) -> dict[str, report.Stage]:
    return {stage.name: stage for stage in stages_of(program, "jax")}


def test_arguments_say_what_is_weakly_typed_and_what_becomes_of_the_donated(stages) -> None:
    (table,) = stages["arguments"].tables
    assert [row.cells for row in table.rows] == [
        ["w", "f32[3,4]", "traced", False, "written over by result 0"],
        ["x", "f32[2,5,3]", "traced", False, "in vain: no result has its shape and type"],
        ["rate", "f32[]", "traced", True, None],
    ]


def test_each_transformation_has_its_function_before_and_after(stages) -> None:
    before, after = stages["vmap"].artifacts
    assert "f32[5,3]" in before.text and "f32[2,5,3]" in after.text
    before, after = stages["grad"].artifacts
    assert "exp" in before.text and "mul" not in before.text.split("exp")[1]
    assert "mul" in after.text.split("exp")[1]
    assert f"of `loss` at line {STEP}: " in stages["grad"].summary
    assert "remat" in stages["checkpoint"].artifacts[1].text
    assert stages["custom_vjp"].summary.startswith("of `square` at line 14: 1 equation before")


def test_a_jaxpr_leads_to_the_captured_operations_and_shows_no_places(program, stages) -> None:
    ops = {op.id: (op.op, op.line) for op in program.nodes}
    (text,) = stages["jaxpr"].artifacts
    lines = text.text.splitlines()
    assert "<snippet>" not in text.text and len(text.nodes) == len(lines)
    (tanh,) = {ops[n] for i, line in enumerate(lines) if " = tanh " in line for n in text.nodes[i]}
    assert tanh == ("tanh", 11)


MODULE = """module @m {
  func.func public @main(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.add %x, %0 : tensor<4x8xf32>
    %2 = stablehlo.tanh %1 : tensor<4x8xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [1] :
      (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
"""


def test_the_jaxpr_of_a_pasted_module_leads_to_its_lines() -> None:
    (program,) = looked(MODULE, "jax").programs
    places = {op.id: op.line for op in program.nodes}
    (text,) = {stage.name: stage for stage in stages_of(program, "jax")}["jaxpr"].artifacts
    assert "compiler_core" not in text.text
    led = {
        (line.split(" = ")[1].split("[")[0].split()[0], places[n])
        for line, nodes in zip(text.text.splitlines(), text.nodes, strict=True)
        for n in nodes
    }
    assert led >= {("broadcast_in_dim", 3), ("add", 4), ("tanh", 5), ("reduce", 7)}, text.text


def test_what_is_kept_for_the_backward_pass_is_without_what_is_computed_again(stages) -> None:
    (table,) = stages["grad"].tables
    kept = {row.cells[2]: (row.cells[1], row.line) for row in table.rows}
    # The checkpointed function keeps its arguments: of it there is its result alone.
    assert {line for _, line in kept.values() if line} == {11, 14}
    assert kept["from the argument w"] == (3 * 4 * 4, None)
    assert "of 2 results kept for the backward pass" in stages["grad"].summary


def test_a_call_that_is_traced_again_says_which_argument_is_otherwise(program) -> None:
    found = {f.line: f for f in program.findings if f.kind == "traced again"}
    assert {line: f.what for line, f in found.items()} == {
        24: "`step` is traced again: x is f32[2,4,3], was f32[2,5,3]",
        25: "`step` is traced again: rate is f32[], was f32[] (a Python number)",
        26: "`step` is traced again: steps is 2, was not given",
    }
    assert all(f.why and f.remedy and f.compile_ms for f in found.values())
    # In JAX's own words, too.
    assert (
        "TRACING CACHE MISS at <snippet>:24:\n" in found[24].raw and "f32[2,4,3]" in found[24].raw
    )


def test_a_call_with_another_number_is_not_traced_again(stages) -> None:
    (table,) = stages["traces"].tables
    assert [row.cells[:2] for row in table.rows] == [
        [23, True], [24, True], [25, True], [26, True], [27, False],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("jax.jvp(jnp.sin, (x,), (x,))", ["jvp"]),
        ("jax.vjp(lambda a: a * x, x)[1](x)", ["vjp"]),
        ("jax.jacfwd(jnp.sin)(x), jax.jacrev(jnp.cos)(x)", ["jacfwd", "jacrev"]),
        ("jax.value_and_grad(lambda a: (a.sum(), a), has_aux=True)(x)", ["value_and_grad"]),
        ("jax.grad(lambda a: (a.sum(), a), has_aux=True)(x)", ["grad"]),
        ("jax.vmap(lambda a: jax.lax.psum(a, 'i'), axis_name='i')(x)", ["vmap"]),
        ("jax.nn.relu(x)", []),  # a rule of JAX's own
    ],
)
def test_transformations_are_seen_however_they_are_called(body: str, names: list[str]) -> None:
    source = f"import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return {body}\nf(jnp.ones(3))"
    (program,) = looked(source, "jax").programs
    known = {"arguments", "jaxpr"}
    found = [stage for stage in stages_of(program, "jax") if stage.name not in known]
    assert [(stage.name, stage.status) for stage in found] == [(name, "ok") for name in names]


def test_a_rule_within_what_jax_has_traced_before_is_seen() -> None:
    (program,) = looked(
        """
        # inputs: f32[4]
        import jax
        import jax.numpy as jnp

        @jax.custom_jvp
        def plus(x):
            return x + 1

        plus.defjvp(lambda given, tangents: (plus(*given), tangents[0] * 2))

        @jax.custom_vjp
        def minus(x):
            return x - 1

        minus.defvjp(lambda x: (minus(x), None), lambda _, g: (g * 3,))
        layer = jax.checkpoint(lambda x: plus(x) * x)
        inner = jax.jit(lambda x: minus(x) * x)

        def f(x):
            return jax.grad(lambda x: (layer(x) + inner(x)).sum())(x)
        """,
        "jax",
    ).programs
    names = {s.name for s in stages_of(program, "jax")}
    assert {"grad", "checkpoint", "custom_jvp", "custom_vjp"} <= names


def test_a_program_that_is_itself_a_transformation_is_shown_before_and_after() -> None:
    source = """
import jax, jax.numpy as jnp

def loss(w, x):
    return jnp.tanh(x @ w).sum()

jax.jit(jax.grad(loss))(jnp.ones(3), jnp.ones((2, 3)))
"""
    (program,) = looked(source, "jax").programs
    (stage,) = [s for s in stages_of(program, "jax") if s.name == "grad"]
    before, after = stage.artifacts
    assert "transpose" not in before.text and before.text.count(" = ") < after.text.count(" = ")


def test_a_torch_program_is_none_of_jaxs() -> None:
    assert look(SimpleNamespace(framework="torch")) == (
        "the program is torch's, and JAX traces none of it"
    )


def test_calls_that_are_not_repeated_are_told_with_the_remedy() -> None:
    (program,) = looked(
        """
        import jax
        import jax.numpy as jnp

        step = jax.jit(lambda x, rate: x * rate, static_argnums=1)
        for i in range(12):
            step(jnp.ones(4), 0.5 + i)
        step(jnp.ones(4), 3)
        """,
        "jax",
    ).programs
    found = [f for f in program.findings if f.kind == "traced again"]
    assert len(found) == 9 and "4 of them" in found[-1].what and found[-1].remedy
    (stage,) = [s for s in stages_of(program, "jax") if s.name == "traces"]
    assert stage.summary == "traced again for 8 calls; 4 later calls that differ are not repeated"


def test_a_whole_number_and_one_with_a_point_are_told_apart() -> None:
    (program,) = looked(
        """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(x, s):
            return jnp.sin(x) * s

        f(jnp.ones(4), 1.0)
        f(jnp.ones(4), 3)
        """,
        "jax",
    ).programs
    (found,) = [f for f in program.findings if f.kind == "traced again"]
    assert found.category == "number" and "2.0" in found.remedy


ON_A_MESH = {
    "a mesh that is set, and no argument that bears it": """
jax.set_mesh(mesh)
@jax.jit
def f(x):
    return jnp.sin(jax.lax.with_sharding_constraint(x, P("data")))
f(x)""",
    "types that say how they are divided": """
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Explicit,))
@jax.shard_map(mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P("data"))
def both(x, w):
    return jax.nn.relu(x) * w
@jax.jit
def f(x, w):
    return jax.grad(lambda w: both(x, w).sum())(w)
x = jax.device_put(x[:16], NamedSharding(mesh, P("data")))
f(x, jax.device_put(w, NamedSharding(mesh, P("data"))))""",
}  # fmt: skip


@pytest.mark.parametrize("name", ON_A_MESH)
def test_a_program_on_a_mesh_is_traced_as_it_was_called(name: str, mesh_process) -> None:
    found = mesh_process.submit(looked, HEAD + ON_A_MESH[name], "jax").result()
    (program,) = found.programs
    shown = stages_of(program, "jax")
    assert [s.name for s in shown][:2] == ["arguments", "jaxpr"]
    assert {s.status for s in shown} == {"ok"}, [s.summary for s in shown]
