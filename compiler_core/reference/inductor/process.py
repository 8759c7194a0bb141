"""Process-wide settings while TorchInductor compiles, and where it keeps its files."""

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock


@contextmanager
def private(*, reset: bool = True) -> Iterator[None]:
    """Context with Inductor's `settings` and its files in a folder private to this process. They
    stay there: what torch has forgotten meanwhile is compiled again when it is called, and would be
    taken from the files that all processes share."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = _folder()
    with settings(reset=reset):
        yield


@contextmanager
def settings(*, reset: bool = True) -> Iterator[None]:
    """Context without caches and without compile processes; with `reset`, without anything left
    over from earlier programs."""
    import torch._dynamo
    from torch._inductor import config, cpu_vec_isa

    if reset:
        torch.compiler.reset()
    options = {"compile_threads": 1, "force_disable_caches": True, "cpp.vec_isa_ok": True}
    # Inductor asks for the newest instructions one by one, with a trial program each.
    known = mock.patch.object(cpu_vec_isa.VecISA, "check_build", _knows)
    with config.patch(options), known, warnings.catch_warnings():
        # It warns that its caches are off.
        warnings.filterwarnings("ignore", message=".*force_disable_caches")
        yield


def _knows(instructions: Any, _trial: str) -> bool:
    """Whether the C++ compiler knows these vector instructions, by their flags: it has had both
    since the same version."""
    from torch._inductor import cpp_builder

    flags = shlex.split(instructions.build_arch_flags())
    asked = [cpp_builder.get_cpp_compiler(), *flags, "-E", "-x", "c++", os.devnull]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


@contextmanager
def passing_files() -> Iterator[None]:
    """Context in which Inductor's files are in a temporary folder."""
    before = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="fuselab-inductor-", ignore_cleanup_errors=True) as own:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = own
        try:
            yield
        finally:
            os.environ.pop("TORCHINDUCTOR_CACHE_DIR", None)
            if before is not None:
                os.environ["TORCHINDUCTOR_CACHE_DIR"] = before


_folders: list[str] = []
_marks: list[str] = []


def _folder() -> str:
    """This process's own; a forked child that cannot write to its parent's has another."""
    if not _folders or not os.access(_folders[-1], os.W_OK):
        _folders.append(tempfile.mkdtemp(prefix="fuselab-inductor-"))
        atexit.register(shutil.rmtree, _folders[-1], ignore_errors=True)
    return _folders[-1]


def headers() -> str:
    """A marker next to the precompiled headers. A forked child that does not see its parent's
    marker has another file system, and forgets where the parent's headers were."""
    from torch._inductor import codecache

    if not _marks or not os.path.exists(_marks[-1]):
        os.makedirs(codecache._HEADER_DIR, exist_ok=True)
        file, mark = tempfile.mkstemp(prefix="fuselab-", dir=codecache._HEADER_DIR)
        os.close(file)
        atexit.register(Path(mark).unlink, missing_ok=True)
        codecache._precompile_header.cache_clear()
        _marks.append(mark)
    return _marks[-1]
