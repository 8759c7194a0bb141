"""Compiling by XLA without JAX's persistent compilation cache."""

from collections.abc import Iterator
from contextlib import contextmanager

import jax
from jax.experimental.compilation_cache import compilation_cache

_ALLOWED = "jax_enable_compilation_cache"


@contextmanager
def compiling() -> Iterator[None]:
    """Context in which JAX neither reads nor writes its persistent cache. An entry there may be
    that of another program with the same operations: it has the other program's source lines,
    writes no dumps, and its compile time is that of reading a file."""
    if not jax.config.jax_compilation_cache_dir:
        yield
        return
    before = getattr(jax.config, _ALLOWED)
    jax.config.update(_ALLOWED, False)
    # Whether there is a cache is asked once.
    compilation_cache.reset_cache()
    try:
        yield
    finally:
        jax.config.update(_ALLOWED, before)
        compilation_cache.reset_cache()
