"""C text -> a loaded shared library.

One compiler process a program, forked from one that waits where there is one (waiting.py), no
include files, a private folder that is gone once the library is loaded. What is the same in many
programs may be compiled ahead of them, once a process.
`-ffast-math` is never used: linked with it, old compilers switch denormals off for the whole
process. The safe parts that matter are named one by one.
"""

import ctypes
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compiler_core.codegen.c.denormals import TAKES_MODE
from compiler_core.codegen.c.mathematics import needs_library
from compiler_core.errors import REPORT_IT, ToolchainError
from compiler_core.processes import run_within
from compiler_core.runtime import waiting
from compiler_core.runtime.tuning import tuning_flags

# Levels of optimization, with the seconds that each may take. The time of some optimizations grows
# with the square of a function's length: a program that does not compile in time is compiled at the
# next level.
LEVELS = (("-O3", 20.0), ("-O1", 20.0))
FLAGS = (
    LEVELS[0][0],
    "-march=native",
    "-mprefer-vector-width=512",
    "-fopenmp",
    # Nobody reads errno or the floating-point exception flags.
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    # Known to gcc, a sine and a cosine of one angle become one call, which there is not in vectors.
    "-fno-builtin-sin",
    "-fno-builtin-cos",
    "-fno-builtin-sinf",
    "-fno-builtin-cosf",
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
# Flags that the waiting compiler is not given, since it writes assembly.
_OF_LIBRARIES = ("-shared", "-pipe")
_INSTALL = "install gcc (Debian and Ubuntu: apt-get install gcc libc6-dev)"
_SHOWN_LINES = 12


@dataclass(frozen=True)
class Library:
    """A loaded program. `command` is the command line that compiles it; `ms` is the time of
    compiling and loading, in milliseconds; `note` says that it is optimized less than others, and
    why."""

    handle: ctypes.CDLL
    command: str
    ms: float
    note: str = ""


@dataclass(frozen=True)
class _Ahead:
    """Functions that are compiled already, as an object file; and for the texts that define them in
    a program, the declarations in their place."""

    compiled: bytes
    declarations: Mapping[str, str]


# The text with which parallel regions begin, which people are not shown.
_SPREAD = Path(__file__).with_name("spread.c").read_text()
# Tells the text that the threads of its regions take the floating-point mode of the thread that
# begins them.
_TAKES_MODE = f"#define {TAKES_MODE}\n#line 1\n"

# The most characters of a file's name, which may have 255 bytes: a program has the name that its
# snippet gives it.
_LONGEST_NAME = 60

# The libraries compiled ahead, by text. A forked process has its parent's.
_ahead: dict[str, _Ahead] = {}
# Texts that a program of this process contained.
_met: set[str] = set()


def warm_up() -> None:
    """Compiles what `begin` and `load` need, for this process and those forked from it. Raises
    ToolchainError without a compiler."""
    waiting.prepare(find_compiler())
    compile_ahead(_SPREAD, {_SPREAD: ""})


def begin() -> None:
    """Starts a compiler that waits for this process's next programs, which may then have less of it
    to wait for. Returns at once."""
    with suppress(ToolchainError):
        compiler = find_compiler()
        flags = (f for f in FLAGS if f not in _OF_LIBRARIES)
        waiting.OWN.begin(compiler, [*flags, *tuning_flags(compiler)])


def compile_ahead(text: str, declarations: Mapping[str, str]) -> None:
    """Compiles functions that many programs define: those that are loaded afterwards are linked
    with them, and `declarations` replace the texts that define them. Raises ToolchainError if that
    fails."""
    if text in _ahead:
        return
    with tempfile.TemporaryDirectory(prefix="fuselab-") as folder:
        source, target = Path(folder, "ahead.c"), Path(folder, "ahead.o")
        source.write_text(text)
        _in_time([find_compiler(), *FLAGS, "-c", "-o", str(target), str(source)])
        _ahead[text] = _Ahead(target.read_bytes(), declarations)


def _apart(text: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """`text` without what is compiled already, and the object files that have that."""
    objects = []
    for number, ahead in enumerate(_ahead.values()):
        shorter = text
        for definition, declared in ahead.declarations.items():
            shorter = shorter.replace(definition, declared)
        if shorter != text:
            objects.append(folder / f"ahead{number}.o")
            objects[-1].write_bytes(ahead.compiled)
        text = shorter
    return text, tuple(map(str, objects))


def _with_spread(text: str, compiler: str) -> str:
    """With what its parallel regions begin by, which takes longer to compile than many a program:
    a process that has a second such program has it compiled ahead of that."""
    if "#pragma omp parallel" not in text:
        return text
    if Path(compiler).name == "gcc":  # another's regions may begin by other names
        text = _TAKES_MODE + text
    if _SPREAD in _met:
        compile_ahead(_SPREAD, {_SPREAD: ""})
    _met.add(_SPREAD)
    return text + _SPREAD


def load(text: str, name: str = "program") -> Library:
    """Compiles and loads `text`. Raises ToolchainError if that fails."""
    compiler = find_compiler()
    libraries = library_flags() if needs_library(text) else ()
    start = time.perf_counter()
    name = name[:_LONGEST_NAME]
    with tempfile.TemporaryDirectory(prefix="fuselab-") as folder:
        source, target = Path(folder, f"{name}.c"), Path(folder, f"{name}.so")
        shorter, objects = _apart(_with_spread(text, compiler), Path(folder))
        source.write_text(shorter)
        command = _command(compiler, str(source), str(target), (*objects, *libraries))
        level = _in_time(command)
        handle = ctypes.CDLL(str(target), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    ms = (time.perf_counter() - start) * 1e3
    begin()
    _, *shown = _command(compiler, f"{name}.c", f"{name}.so", libraries)
    command = [Path(compiler).name, *_at(level, shown)]
    return Library(handle, " ".join(command), ms, _less(level))


def _at(level: str, command: list[str]) -> list[str]:
    return [level if part == FLAGS[0] else part for part in command]


def _less(level: str) -> str:
    """Why a program is optimized less than others; nothing for one that is not."""
    full, seconds = LEVELS[0]
    if level == full:
        return ""
    return f"optimized less ({level}): the C compiler did not end within {seconds:.0f} s at {full}"


def _command(compiler: str, source: str, target: str, libraries: tuple[str, ...]) -> list[str]:
    if Path(compiler).name != "gcc":
        return [compiler, *FLAGS, "-o", target, source, *libraries]
    flags = (*FLAGS, *tuning_flags(compiler), *_LINK_FLAGS)
    own = (*libraries, *_LINK_LIBRARIES)
    return [compiler, *flags, "-o", target, source, *own]


def _in_time(command: list[str]) -> str:
    """Runs the compiler at the first level at which it ends in time, and returns that."""
    for level, seconds in LEVELS:
        if _run(_at(level, command), seconds):
            return level
    seconds = sum(seconds for _, seconds in LEVELS)
    raise ToolchainError(
        f"the C compiler did not end within {seconds:.0f} seconds", remedy="try a smaller program"
    )


def _run(command: list[str], seconds: float) -> bool:
    """Whether it has ended in time. Raises ToolchainError if it refused the source."""
    in_time = _by_waiting(command, seconds)
    return _alone(command, seconds) if in_time is None else in_time


def _by_waiting(command: list[str], seconds: float) -> bool | None:
    """As `_run`, by a compiler that waits; None if it was not done by one."""
    compiler, *words = command
    known = [*FLAGS, *tuning_flags(compiler), *_LINK_FLAGS, "-o"]
    if words[: len(known)] != known:
        return None
    target, source, *linked = words[len(known) :]
    if not all(word.endswith(".o") or word.startswith("-l") for word in linked):
        return None
    return waiting.OWN.compile(compiler, source, target, linked, seconds)


def _alone(command: list[str], seconds: float) -> bool:
    try:
        done = run_within(command, seconds)
    except OSError as error:
        raise ToolchainError(f"the C compiler did not start: {error}", remedy=_INSTALL) from None
    if done is not None and done.returncode:
        output = "\n".join(done.stderr.splitlines()[:_SHOWN_LINES])
        raise ToolchainError(
            f"the C compiler refused the generated source\n{output}", remedy=REPORT_IT
        )
    return done is not None


@cache
def find_compiler() -> str:
    """The path of gcc, or of cc if there is no gcc. Raises ToolchainError without either."""
    for name in ("gcc", "cc"):
        path = shutil.which(name)
        if path is not None:
            return path
    raise ToolchainError("there is no C compiler on this machine", remedy=_INSTALL)


@cache
def library_flags() -> tuple[str, ...]:
    """gcc's flags for glibc's vector mathematics where it is complete (since 2.35), else for the
    scalar functions."""
    try:
        vectors = ctypes.CDLL("libmvec.so.1")
        whole = hasattr(vectors, "_ZGVbN4v_erff")
    except OSError:
        whole = False
    return ("-lmvec", "-lm") if whole else ("-DSCALAR_MATH", "-lm")
