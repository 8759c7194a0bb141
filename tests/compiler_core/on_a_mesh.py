"""What tests do in a process of its own, whose CPU is eight devices to JAX: there is one number in
a process."""

from typing import Any

import numpy as np

DEVICES = 8
HEAD = """
import jax
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
x = np.linspace(-3, 3, 512, dtype="float32").reshape(32, 16)
w = np.linspace(-1, 1, 256, dtype="float32").reshape(16, 16)
"""


def start() -> None:
    import jax

    jax.config.update("jax_num_cpu_devices", DEVICES)


def compared(text: str) -> tuple[list[np.ndarray], list[np.ndarray], list[str]]:
    """Of the program of a snippet that begins with HEAD: its results as JAX gives them on the mesh,
    as its graph of one device does, and the operations of that."""
    from compiler_core.capture import capture
    from compiler_core.ir import eval_jax
    from compiler_core.snippet.ambient_mesh import under_mesh
    from tests.compiler_core.snippets import explore

    (program,) = explore(HEAD + text).programs
    with under_mesh(program.mesh):
        divided = program.own(*program.args, **program.kwargs)
    captured = capture(program)
    alone = eval_jax.function(captured.graph)(*captured.arguments)
    return arrays(divided), arrays(alone), [node.op for node in captured.nodes]


def arrays(results: Any) -> list[np.ndarray]:
    import jax

    return [np.asarray(x) for x in jax.tree.leaves(results)]
