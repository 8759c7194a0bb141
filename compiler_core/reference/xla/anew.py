"""XLA compiles, whatever JAX's persistent cache of compilations has."""

from collections.abc import Iterator
from contextlib import contextmanager

import jax
from jax.experimental.compilation_cache import compilation_cache

_ALLOWED = "jax_enable_compilation_cache"


@contextmanager
def compiling() -> Iterator[None]:
    """Nothing is read from the cache meanwhile and nothing written to it. What it has for a program
    may be another one's of the same operations: that has the other's lines of source, wrote no
    dumps, and took the time of reading a file."""
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
