"""A persistent cache of compilations, as a user may have set it, has no part in what is shown."""

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest
from jax.experimental.compilation_cache import compilation_cache

from compiler_core.reference.xla import anew
from compiler_core.reference.xla.dump import compile_with_dump

pytestmark = pytest.mark.cpu

SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    settings = {**SETTINGS, "jax_compilation_cache_dir": str(tmp_path)}
    before = {name: getattr(jax.config, name) for name in settings}
    use(settings)
    yield tmp_path
    use(before)


def use(settings: dict[str, object]) -> None:
    for name, value in settings.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


def lowered(factor: int):
    return jax.jit(lambda x: factor * x).lower(jax.ShapeDtypeStruct((2, 7), "float32"))


def test_a_program_that_the_cache_has_is_dumped_all_the_same(cache: Path) -> None:
    lowered(3).compile()
    assert any(cache.iterdir())
    assert compile_with_dump(lowered(3)).snapshots()


def test_the_cache_is_used_again_afterwards(cache: Path) -> None:
    with anew.compiling():
        lowered(5).compile()
    assert not any(cache.iterdir())
    lowered(7).compile()
    assert any(cache.iterdir())
