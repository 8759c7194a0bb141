"""Faster compilation of what a snippet runs operation by operation in JAX: an executable for each
operation and shape, most of which run once, to draw parameters. They took three quarters of the
time until the first IR of an MLP; XLA with fewer optimizations takes half of it.

The results are bitwise those of JAX, which they would not be at XLA's level 0, where nothing is
contracted to fused multiply-adds. Functions that the snippet compiles itself are optimized as
usual; a JAX context keeps the quickly compiled executables apart, and none of them is ever
measured.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

from compiler_core.snippet.private import xla_given
from compiler_core.snippet.source import Source

_OPTIONS = {
    "xla_backend_optimization_level": 1,
    "xla_llvm_disable_expensive_passes": True,
    # Code of these runs in two thirds of the time, and takes LLVM twice as long.
    "xla_cpu_use_fusion_emitters": False,
}


@contextmanager
def compiled_quickly(source: Source) -> Iterator[None]:
    """Context for running the snippet. It does not load JAX for a snippet that does not mention
    it."""
    if "jax" not in source.text:
        yield
        return
    is_quick = _is_quick()
    with xla_given(_OPTIONS, lambda: is_quick.value), is_quick(True):
        yield


def compiled_fully() -> AbstractContextManager[None]:
    """Context for running a function that the snippet compiles."""
    context: AbstractContextManager[None] = _is_quick()(False)
    return context


def run_jitted(
    jitted: Callable[..., Any], fun: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """The result of `jitted`, since compiling the whole is faster than compiling each operation; of
    `fun`, run as plain Python, if it cannot be traced: its capture then says why."""
    from jax.errors import JAXTypeError

    try:
        with compiled_fully():
            return jitted(*args, **kwargs)
    except JAXTypeError:
        return fun(*args, **kwargs)


@cache
def _is_quick() -> Any:
    """JAX keeps what it traced and compiled by the value of such a context."""
    import jax

    return jax.make_user_context(False)
