"""What tests of whole programs share."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import pytest
from jax.experimental.compilation_cache import compilation_cache

from compiler_core.runtime import gcc


class Remembering:
    """The C compiler, but for a C text that it has compiled before: that gives the library of then.

    For tests that compile the same few programs some hundred times.
    """

    def __init__(self, run: Callable[[list[str], float], bool]) -> None:
        self._run = run
        self._made: dict[tuple[str, ...], bytes] = {}

    def __call__(self, command: list[str], seconds: float) -> bool:
        source = next(word for word in command if word.endswith(".c"))
        target = Path(command[command.index("-o") + 1])
        # What was compiled ahead is the same wherever it lies, and declared in the text.
        flags = (w for w in command if w not in (source, str(target)) and not w.endswith(".o"))
        key = (Path(source).read_text(), *flags)
        if key in self._made:
            target.write_bytes(self._made[key])
            return True
        if not self._run(command, seconds):
            return False
        self._made[key] = target.read_bytes()
        return True


@pytest.fixture(scope="module")
def remembering() -> Remembering:
    return Remembering(gcc._run)


@pytest.fixture(scope="module")
def jax_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """XLA compiles the same program once a module."""
    settings = {
        "jax_compilation_cache_dir": str(tmp_path_factory.mktemp("jax")),
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in settings}
    _set(settings)
    yield
    _set(before)


def _set(settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


@pytest.fixture
def compiled_once(
    remembering: Remembering, jax_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same C text is compiled once a module, and so is the same program of JAX."""
    monkeypatch.setattr(gcc, "_run", remembering)
