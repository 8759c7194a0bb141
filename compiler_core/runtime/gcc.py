"""C text -> a loaded shared library.

One compiler process a program, no include files, a private folder that is gone once the library
is loaded. `-ffast-math` is never used: linked with it, old compilers switch denormals off for the
whole process. The safe parts that matter are named one by one.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compiler_core.codegen.c.mathematics import needs_library
from compiler_core.errors import REPORT_IT, ToolchainError

FLAGS = (
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-fopenmp",
    # Nobody reads errno or the floating-point exception flags.
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fPIC",
    "-shared",
    "-pipe",
    "-w",
)
# Linking is a quarter of a small program's time, half of it spent in libraries that these programs
# do not need. There are no constructors for start-up files to call; the C library is in every
# process that loads a program, where memcpy and memset are found; and no object asks for
# optimization at link time. libgcc has what a processor may lack, as the rounding of f64 to f16.
# Other compilers than gcc have another OpenMP.
_LINK_FLAGS = ("-nostdlib", "-fno-use-linker-plugin")
_LINK_LIBRARIES = ("-lgomp", "-lgcc")
_SECONDS = 120
_SHOWN_LINES = 12


@dataclass(frozen=True)
class Library:
    """A loaded program. `command` is what a person would type; `ms` is the time of compiling and
    loading, in milliseconds."""

    handle: ctypes.CDLL
    command: str
    ms: float


def load(text: str, name: str = "program") -> Library:
    """Compiles and loads `text`. Raises ToolchainError if that fails."""
    compiler = find_compiler()
    libraries = library_flags() if needs_library(text) else ()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="fuselab-") as folder:
        source, target = Path(folder, f"{name}.c"), Path(folder, f"{name}.so")
        source.write_text(text)
        _run(_command(compiler, str(source), str(target), libraries))
        handle = ctypes.CDLL(str(target), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    ms = (time.perf_counter() - start) * 1e3
    shown = _command(Path(compiler).name, f"{name}.c", f"{name}.so", libraries)
    return Library(handle, " ".join(shown), ms)


def _command(compiler: str, source: str, target: str, libraries: tuple[str, ...]) -> list[str]:
    if Path(compiler).name != "gcc":
        return [compiler, *FLAGS, "-o", target, source, *libraries]
    flags, own = (*FLAGS, *_LINK_FLAGS), (*libraries, *_LINK_LIBRARIES)
    return [compiler, *flags, "-o", target, source, *own]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolchainError(
            f"the C compiler did not end within {_SECONDS} seconds",
            remedy="try a smaller program",
        ) from None
    except OSError as error:
        raise ToolchainError(f"the C compiler did not start: {error}") from None
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[:_SHOWN_LINES])
        raise ToolchainError(
            f"the C compiler refused the generated source\n{said}", remedy=REPORT_IT
        )


@cache
def find_compiler() -> str:
    """The C compiler's path."""
    for name in ("gcc", "cc"):
        path = shutil.which(name)
        if path is not None:
            return path
    raise ToolchainError(
        "there is no C compiler on this machine",
        remedy="install gcc (Debian and Ubuntu: apt-get install gcc libc6-dev)",
    )


@cache
def library_flags() -> tuple[str, ...]:
    """glibc's vector mathematics where it is whole (since 2.35), else the scalar functions."""
    try:
        vectors = ctypes.CDLL("libmvec.so.1")
        whole = hasattr(vectors, "_ZGVbN4v_erff")
    except OSError:
        whole = False
    return ("-lmvec", "-lm") if whole else ("-DSCALAR_MATH", "-lm")
