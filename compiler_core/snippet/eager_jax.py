"""What JAX compiles for a snippet that runs operation by operation: an executable for each
operation and shape, most of which run once, to draw parameters. Until the first IR of an MLP, three
quarters of the time went into them; XLA that optimizes less takes half of it.

The numbers stay those of JAX to the last bit, which they do not at XLA's level 0, where nothing is
contracted to fused multiply-adds. What the snippet compiles itself is optimized as ever, and what
was compiled quickly is kept apart by a context of JAX's: none of it is ever measured.
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
    """Context in which the snippet runs. One that does not speak of JAX does not load it."""
    if "jax" not in source.text:
        yield
        return
    is_quick = _is_quick()
    with xla_given(_OPTIONS, lambda: is_quick.value), is_quick(True):
        yield


def compiled_fully() -> AbstractContextManager[None]:
    """Context in which a function runs that the snippet compiles."""
    context: AbstractContextManager[None] = _is_quick()(False)
    return context


def run_jitted(
    jitted: Callable[..., Any], fun: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """One compilation of the whole is faster than one of each operation; a function that cannot
    be traced runs as plain Python, and its capture says why."""
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
