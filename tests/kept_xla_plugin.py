"""What XLA compiled is kept between runs of the tests, as is what the C compiler made, in JAX's own
cache: by the program, its options, the version of XLA and the processor. It comes anew after a
week, for JAX does not mark what it reads. What is shown of XLA is compiled each time
(compiler_core/reference/xla/anew.py)."""

import sys

import pytest

from tests.kept_plugin import folder


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    jax = sys.modules.get("jax")
    if jax is None or not hasattr(item.config, "cache") or jax.config.jax_compilation_cache_dir:
        return
    from jax.experimental.compilation_cache import compilation_cache

    jax.config.update("jax_compilation_cache_dir", str(folder("compiled-by-xla")))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    # Whether there is a cache is asked once, which was while tests were collected.
    compilation_cache.reset_cache()
