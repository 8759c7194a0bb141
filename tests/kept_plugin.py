"""What the C compiler made is kept between runs of the tests, as ccache does: a text that is
generated as it was before is not compiled again, in whichever checkout of a person's that was.
`pytest --cache-clear` forgets it."""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

DAYS = 7.0
_MODULE = "compiler_core.runtime.gcc"
Run = Callable[[list[str], float], bool]


class Kept:
    """The C compiler, but for what it has compiled before with the same words, into `folder`."""

    def __init__(self, run: Run, folder: Path) -> None:
        self._run, self._folder = run, folder

    def __call__(self, command: list[str], seconds: float) -> bool:
        if not Path(command[0]).exists():
            return self._run(command, seconds)
        target = Path(command[command.index("-o") + 1])
        kept = self._folder / _digest(command, target)
        if kept.exists():
            os.utime(kept)
            shutil.copyfile(kept, target)
            return True
        if not self._run(command, seconds):
            return False
        # Whole or not at all: other processes read it.
        whole = kept.with_suffix(f".{os.getpid()}")
        shutil.copyfile(target, whole)
        whole.rename(kept)
        return True


def _digest(command: list[str], target: Path) -> str:
    """Of the compiler, of its words but for folders, and of what is in the files among them."""
    digest = hashlib.sha256(_machine(command[0]))
    for word in command[1:]:
        if word != str(target):
            is_file = word.endswith((".c", ".cpp", ".h", ".o"))
            digest.update(Path(word).read_bytes() if is_file else word.encode())
            digest.update(b"\0")
    return digest.hexdigest()


@cache
def _machine(compiler: str) -> bytes:
    """Another compiler, or another processor, which `-march=native` asks, compiles anew."""
    found = Path(compiler).resolve()
    told = found.stat()
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{found} {told.st_mtime_ns} {told.st_size} {flags}".encode()


def pytest_sessionstart(session: pytest.Session) -> None:
    """What nobody asked for in a week is of texts that are no longer generated."""
    if hasattr(session.config, "workerinput") or not hasattr(session.config, "cache"):
        return
    for room in (folder(), folder("compiled-by-xla")):
        if session.config.getoption("cacheclear"):
            shutil.rmtree(room)
        forget_old(room)


def forget_old(room: Path) -> None:
    for kept in room.glob("*"):
        # Another run of the tests may be at it as well.
        with suppress(FileNotFoundError):
            if kept.stat().st_mtime < time.time() - DAYS * 86_400:
                kept.unlink()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    gcc = sys.modules.get(_MODULE)
    if gcc and hasattr(item.config, "cache") and not isinstance(gcc._run, Kept):
        gcc._run = Kept(gcc._run, folder())


def folder(name: str = "compiled") -> Path:
    """Where it is kept: beside what other tools keep for the person whose machine it is."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    result = Path(caches) / "fuselab" / name
    result.mkdir(parents=True, exist_ok=True)
    return result
