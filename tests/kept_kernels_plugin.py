"""What Triton compiled, and what NVIDIA's disassembler printed of it, is kept between runs of the
tests, beside what the C compiler made: by Triton, by the files here that have it compile, and by
what it is given. What is refused is not kept."""

import hashlib
import os
import pickle
import sys
import zlib
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest

from tests.kept_plugin import folder

_ROOM = "compiler_core.codegen.triton"
# Of which a result's own types are, too.
_FILES = ("offline.py", "assemblers.py", "load.py", "private.py", "../source_map.py")


class Remembered:
    """A function whose arguments are values, but for what it has given for equal ones before."""

    def __init__(self, run: Callable[..., Any], folder: Path, by: bytes) -> None:
        self._run, self._folder, self._by = run, folder, by

    def __call__(self, *given: object) -> Any:
        kept = self._folder / hashlib.sha256(self._by + pickle.dumps(_values(given))).hexdigest()
        if kept.exists():
            os.utime(kept)
            return pickle.loads(zlib.decompress(kept.read_bytes()))
        result = self._run(*given)
        # Whole or not at all: other processes read it.
        whole = kept.with_suffix(f".{os.getpid()}")
        whole.write_bytes(zlib.compress(pickle.dumps(result), 1))
        whole.rename(kept)
        return result


def _values(given: object) -> str | bytes:
    """Equal for what is equal: bytes as they are, all else as it is written."""
    (first, *rest) = given if isinstance(given, tuple) else (given,)
    return first if isinstance(first, bytes) and not rest else repr(given)


@cache
def _tools() -> bytes:
    """Another Triton, or another way to ask it, compiles anew."""
    import triton

    room = Path(sys.modules[_ROOM].__path__[0])
    texts = b"\0".join((room / name).read_bytes() for name in _FILES)
    told = Path(triton.__file__).stat()
    return f"{triton.__version__} {told.st_mtime_ns} ".encode() + hashlib.sha256(texts).digest()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    offline = sys.modules.get(f"{_ROOM}.offline")
    if offline is None or not hasattr(item.config, "cache"):
        return
    if not isinstance(offline._compile.__wrapped__, Remembered):
        compiled = Remembered(offline._compile.__wrapped__, folder(), b"compiled" + _tools())
        offline._compile = lru_cache(maxsize=256)(compiled)
        together = sys.modules[f"{_ROOM}.together"]
        shown = Remembered(together.disassembled, folder(), b"disassembled" + _tools())
        together.disassembled = shown
