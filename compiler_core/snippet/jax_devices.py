"""The device of JAX's arrays: the GPU in a run on the GPU if JAX is installed with a GPU plug-in,
else the CPU. It is chosen before JAX creates its devices, which it does once in a process."""

import os
import sys

from compiler_core.snippet.private import has_started

# JAX's names of GPU platforms, by torch's device type.
_BACKENDS = {"cuda": ("gpu", "cuda", "rocm")}


def stay_on_cpu() -> None:
    """Keeps JAX's arrays on the CPU, unless it has made its devices already. Imports nothing."""
    if "jax" not in sys.modules:
        os.environ["JAX_PLATFORMS"] = "cpu"
    elif not has_started():
        sys.modules["jax"].config.update("jax_platforms", "cpu")


def memory_of_arrays(memory: str) -> str:
    """torch's device type for JAX's arrays in a run on `memory`, "cpu" or "cuda"."""
    if memory not in _BACKENDS:
        return "cpu"
    import jax

    return memory if jax.default_backend() in _BACKENDS[memory] else "cpu"
