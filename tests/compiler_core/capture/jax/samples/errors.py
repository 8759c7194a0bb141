"""Writes what JAX says where it cannot trace, as this environment's version says it, into a folder
of that name: `python tests/compiler_core/capture/jax/samples/errors.py`, by each toolchain's.
"""

from pathlib import Path

import jax

SNIPPET = """
import jax, jax.numpy as jnp

class Config:
    pass

def takes(*args, **kwargs):
    return args[0]

SAID = {
    "untraced": lambda: jax.jit(takes)(jnp.ones(3), Config()),
    "untraced_by_name": lambda: jax.jit(takes)(jnp.ones(3), config=Config()),
    "untraced_part": lambda: jax.jit(takes)({"config": Config()}),
    "shape": lambda: jax.jit(lambda x: jnp.zeros(x[0].astype(int)))(jnp.ones(3)),
    "slice": lambda: jax.jit(lambda x: x[: x[0].astype(int)])(jnp.ones(3)),
}
"""


def main() -> None:
    folder = Path(__file__).with_name(f"jax-{jax.__version__}")
    folder.mkdir(exist_ok=True)
    names: dict[str, dict] = {}
    exec(compile(SNIPPET, "<snippet>", "exec"), names)
    for name, fails in names["SAID"].items():
        try:
            fails()
        except (TypeError, IndexError) as error:
            (folder / f"{name}.txt").write_text(f"{type(error).__name__}: {error}\n")


if __name__ == "__main__":
    main()
