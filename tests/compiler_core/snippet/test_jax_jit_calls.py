"""Calls through jax.jit make programs, and JAX's own calls of jit are left alone."""

import pytest

from compiler_core.capture import capture
from compiler_core.errors import CaptureError
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def test_a_decorated_function_is_a_program():
    found = explore(
        """
        import jax
        import numpy as np

        @jax.jit
        def double(x):
            return x * 2

        print(double(np.ones(2, np.float32)))
        """
    )
    (program,) = found.programs
    assert (program.name, program.framework, program.line) == ("double", "jax", 6)
    assert found.stdout == "[2. 2.]\n"


def test_static_arguments_are_kept_apart():
    found = explore(
        """
        from functools import partial
        import jax
        import numpy as np

        @partial(jax.jit, static_argnums=(1,), static_argnames="flip")
        def scale(x, by, flip=False):
            return -x * by if flip else x * by

        @jax.jit
        def step(i, x, rate):
            return x * rate - i

        scale(np.ones(2), 3, flip=True)
        scale(np.ones(2), 4, flip=True)
        for i in range(3):
            step(i, np.ones(2), rate=0.1 * i)
        """
    )
    program, _ = found.programs
    assert (program.static_argnums, program.static_argnames) == ((1,), ("flip",))
    # Numbers that are traced are compiled for once, whatever they are.
    (notice,) = found.notices
    assert notice.text == "recompile of `scale`: int 3 -> int 4 (input 2 of 3)"


def test_settings_with_an_element_type_are_no_array():
    found = explore(
        """
        import dataclasses, jax, jax.numpy as jnp

        @dataclasses.dataclass(frozen=True)
        class Config:
            width: int = 8
            dtype: jnp.dtype = jnp.bfloat16

        def embed(ids, cfg: Config):
            return jax.nn.one_hot(ids, cfg.width, dtype=cfg.dtype)
        """
    )
    (program,) = found.programs
    assert program.static_argnums == (1,)


def test_what_a_jitted_function_that_is_never_called_does_not_trace_is_not_traced():
    found = explore(
        """
        from dataclasses import dataclass
        from functools import partial
        import jax

        @dataclass(frozen=True)
        class Config:
            scale: float = 2.0

        @partial(jax.jit, static_argnums=0, static_argnames="axes")
        def loss(cfg, x, axes=(0, 1)):
            return x.sum(axes) * cfg.scale
        """
    )
    (program,) = found.programs
    assert (program.static_argnums, program.static_argnames) == ((0,), ())


def test_a_transformed_function_is_named_after_both():
    found = explore(
        """
        import jax
        import numpy as np

        def loss(x):
            return (x ** 2).sum()

        jax.jit(jax.grad(loss))(np.ones(2, np.float32))
        """
    )
    assert [(p.name, p.line) for p in found.programs] == [("grad(loss)", 5)]


def test_a_function_that_cannot_be_traced_runs_as_python():
    found = explore(
        """
        import jax
        import numpy as np

        @jax.jit
        def choose(x):
            return x if x.sum() > 0 else -x

        print(choose(np.ones(2, np.float32)))
        """
    )
    assert found.error is None
    assert found.stdout == "[1. 1.]\n"


def test_the_wrapper_lowers_as_jax_does():
    found = explore(
        """
        import jax
        import numpy as np
        f = jax.jit(lambda x: x * 2)
        f(np.ones(2, np.float32))
        print("stablehlo" in f.lower(np.ones(2, np.float32)).as_text())
        """
    )
    assert found.stdout == "True\n"


def test_a_jitted_function_inside_a_transformation_is_no_program_of_its_own():
    found = explore(
        """
        import jax
        import numpy as np
        inner = jax.jit(lambda x: (x ** 2).sum())
        jax.jit(jax.grad(inner))(np.ones(2, np.float32))
        """
    )
    assert [p.name for p in found.programs] == ["grad(lambda)"]


NESTED = """
import jax
import jax.numpy as jnp

@jax.jit
def inner(x, how):
    return x * 2 if how {test} else x

@jax.jit
def outer(x):
    return inner(x, {how}) + 1

outer(jnp.ones(2))
"""


@pytest.mark.parametrize(
    ("how", "test", "said"),
    [
        ("'twice'", "== 'twice'", "problematic value is of type <class 'str'>"),
        ("3", "> 2", ""),
    ],
)
def test_a_jitted_function_within_another_takes_what_jax_takes(how, test, said):
    """A text is no argument that JAX traces, and a number is one: the branch by it runs as Python,
    and its capture says why."""
    found = explore(NESTED.format(how=how, test=test))
    assert bool(found.error) == bool(said)
    if found.error:
        assert said in found.error.message
        return
    (program,) = found.programs
    with pytest.raises(CaptureError, match="traced"):
        capture(program)


def test_jax_jit_is_itself_again_afterwards():
    import jax

    before = jax.jit
    explore("import jax\nimport numpy as np\njax.jit(lambda x: x)(np.ones(2))")
    assert jax.jit is before


def test_a_function_called_inside_a_transformation_only_gets_random_inputs():
    found = explore(
        """
        import jax
        import numpy as np

        @jax.jit
        def loss(x):
            return (x ** 2).sum()

        jax.grad(loss)(np.ones(3, np.float32))
        """
    )
    (program,) = found.programs
    assert (program.name, program.args[0].shape) == ("loss", (3,))
    assert "its inputs here are random" in found.notices[0].text


def test_static_arguments_of_a_map_over_devices_are_values():
    found = explore(
        """
        from functools import partial
        import jax
        import jax.numpy as jnp

        @partial(jax.pmap, axis_name="i", static_broadcasted_argnums=(1,))
        def update(w, power, g):
            return jax.lax.pmean(w ** power, "i") - g if power > 1 else w

        print(update(jnp.full((1, 2), 3.0), 2, jnp.ones((1, 2))))
        """
    )
    assert found.error is None and found.stdout == "[[8. 8.]]\n"
    (program,) = found.programs
    assert (program.name, program.static_argnums) == ("update", (1,))


def test_a_map_over_devices_from_its_older_place_is_a_program():
    found = explore(
        """
        import jax
        import numpy as np
        from jax.experimental.shard_map import shard_map
        from jax.sharding import Mesh, PartitionSpec as P

        def total(x):
            return jax.lax.psum(x, "i")

        mesh = Mesh(jax.devices()[:1], ("i",))
        g = shard_map(total, mesh=mesh, in_specs=P("i"), out_specs=P())
        print(g(np.ones(2, np.float32)), jax.grad(lambda x: g(x).sum())(1 + np.zeros(2)))
        """
    )
    (program,) = found.programs
    assert (program.name, program.line, found.stdout) == ("total", 7, "[1. 1.] [1. 1.]\n")
    assert [n.line for n in found.notices if "deprecated" in n.text] == [4]


def test_a_map_over_devices_that_is_compiled_is_no_program_beside():
    found = explore(
        """
        import jax
        import jax.numpy as jnp
        from jax.sharding import Mesh, PartitionSpec as P

        @jax.jit
        @jax.shard_map(mesh=Mesh(jax.devices()[:1], ("i",)), in_specs=P("i"), out_specs=P())
        def total(x):
            return jax.lax.psum(x, "i")

        total.lower(jnp.ones(2))
        """
    )
    assert [p.name for p in found.programs] == ["total"]


def test_what_differs_between_two_calls_is_told_without_what_stayed():
    found = explore(
        """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def step(params, t):
            return [p * t for p in params], t + 1

        params, t = [jnp.ones(3), jnp.ones(4)], 1
        for _ in range(2):
            params, t = step(params, t)
        """
    )
    (notice,) = found.notices
    assert notice.text == "recompile of `step`: int 1 -> i32[] (input 3 of 3)"
