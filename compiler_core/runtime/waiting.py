"""A C compiler that is started before the text of a program is there.

Half of what gcc does for a small program is the same for every text: it is loaded, and fills the
tables of its target. `waiting.c`, preloaded, stops gcc where it opens its text, and forks it there
for each text; the output is the same, byte for byte. The assembler starts with each text, and the
linker is called directly, without gcc around it.

A process has at most one waiting compiler, the last that was asked for; a forked process has none.
A text that it cannot compile, or not in time, is compiled by gcc as usual by its caller.
"""

import atexit
import os
import platform
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

_SOURCE = Path(__file__).with_suffix(".c")
_READY, _DONE = b"r", b"y"
# Seconds after which a process that was told to end is killed.
_ENDING = 1.0
# The most seconds that a text waits for a compiler that is starting; one started now would be
# later.
_STARTING = 2.0
# How its preloaded library is compiled, and the text that includes the program's.
_BUILD = ("-O1", "-fPIC", "-shared", "-w", "-o", "waiting.so", "waiting.c")
_TEXT = '#include "the-text.c"\n'
# By compiler: its library, compiled ahead of a fork.
_libraries: dict[str, bytes] = {}


class Waiting:
    """A waiting compiler with its own flags. Raises OSError if its process is gone."""

    def __init__(self, compiler: str, flags: Sequence[str]) -> None:
        self.compiler = compiler
        folder = self._folder = Path(tempfile.mkdtemp(prefix="fuselab-"))
        (folder / "text.c").write_text(_TEXT)
        library = _libraries.get(compiler)
        if library is None:
            shutil.copyfile(_SOURCE, folder / _SOURCE.name)
            build = f"{shlex.join((compiler, *_BUILD))} && "
        else:
            (folder / "waiting.so").write_bytes(library)
            build = ""
        preload = f"{folder / 'waiting.so'}:{os.environ.get('LD_PRELOAD', '')}".rstrip(":")
        command = shlex.join((compiler, *flags, "-S", "-o", "-", "text.c"))
        script = f"cd {shlex.quote(str(folder))} && {build}LD_PRELOAD={preload} exec {command}"
        self._spawn(script)
        self.has_waited = False
        # One that compiles its library first is ahead of none.
        self.head_start = 0.0 if library is None else _STARTING

    def _spawn(self, script: str) -> None:
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        files = (
            (os.POSIX_SPAWN_DUP2, requests, 0),
            (os.POSIX_SPAWN_DUP2, answers, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        )
        try:
            self._pid = os.posix_spawn(
                "/bin/sh", ("sh", "-c", script), os.environ, file_actions=files, setpgroup=0,
                setsigdef=(signal.SIGPIPE,),
            )  # fmt: skip
        finally:
            os.close(requests)
            os.close(answers)

    def is_ready(self, within: float = 0.0) -> bool:
        """Whether it waits for a text now, or will `within` so many seconds."""
        if not self.has_waited and self._answer(within) == _READY:
            self.has_waited = True
            shutil.rmtree(self._folder, ignore_errors=True)
        return self.has_waited

    def compile(self, source: str, taker: str, seconds: float) -> bool | None:
        """Whether the file `source` was compiled and its assembly taken by the command `taker`;
        None if that did not end in time."""
        os.write(self._requests, f"{source}\n{taker}\n".encode())
        answer = self._answer(seconds)
        return None if answer is None else answer == _DONE

    def _answer(self, seconds: float) -> bytes | None:
        poll = select.poll()
        poll.register(self._answers, select.POLLIN)
        if not poll.poll(seconds * 1e3):
            return None
        said = os.read(self._answers, 1)
        if not said:
            raise BrokenPipeError("the compiler that waits has ended")
        return said

    def end(self) -> None:
        """Ends its processes."""
        os.close(self._requests)
        with suppress(BrokenPipeError):
            if self.has_waited and self._answer(_ENDING) is None:
                self.has_waited = False
        if not self.has_waited:
            with suppress(ProcessLookupError):
                os.killpg(self._pid, signal.SIGKILL)
        os.close(self._answers)
        # A snippet may have waited for whichever process ends.
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        shutil.rmtree(self._folder, ignore_errors=True)

    def leave(self) -> None:
        """Releases it in a forked process without ending it, since it is the parent's."""
        os.close(self._requests)
        os.close(self._answers)


# -- the one of this process


class _Own:
    """The compiler that waits for this process, if one does. Safe to call from several threads:
    while it compiles for one, it waits for no other."""

    def __init__(self) -> None:
        self.waiting: Waiting | None = None
        # Those that cannot wait, as on a machine without the C library's headers.
        self._unable: set[str] = set()
        self._lock = threading.Lock()

    def begin(self, compiler: str, flags: Sequence[str]) -> None:
        """Starts `compiler` with `flags`, unless it is waiting already or cannot wait. Returns at
        once."""
        with self._lock:
            there = self.waiting is not None and self.waiting.compiler == compiler
            if there or compiler in self._unable or not _can_wait(compiler):
                return
            self._end()
            with suppress(OSError):
                self.waiting = Waiting(compiler, flags)

    def end(self) -> None:
        """Ends what `begin` has started."""
        with self._lock:
            self._end()

    def compile(
        self, compiler: str, source: str, target: str, linked: Sequence[str], seconds: float
    ) -> bool | None:
        """Compiles the file `source` to the shared library `target`, with the objects and libraries
        `linked`, if `compiler` is waiting. False if that did not end within `seconds`; None if no
        compiler is waiting, or if it failed, without a reason."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            if self.waiting is None or self.waiting.compiler != compiler:
                return None
            return self._compile(self.waiting, source, target, linked, seconds)
        finally:
            self._lock.release()

    def _compile(
        self, by: Waiting, source: str, target: str, linked: Sequence[str], seconds: float
    ) -> bool | None:
        try:
            if not by.is_ready(min(by.head_start, seconds)):
                return None
            done = by.compile(source, _taker(by.compiler, target, linked), seconds)
        except OSError:
            if not by.has_waited:
                self._unable.add(by.compiler)
            self._end()
            return None
        if done is None:
            self._end()
            return False
        return done or None

    def _end(self) -> None:
        ended, self.waiting = self.waiting, None
        if ended is not None:
            ended.end()

    def leave(self) -> None:
        """Releases the parent's compiler in a forked process."""
        left, self.waiting, self._lock = self.waiting, None, threading.Lock()
        if left is not None:
            left.leave()


OWN = _Own()
atexit.register(OWN.end)
os.register_at_fork(after_in_child=OWN.leave)


def prepare(compiler: str) -> None:
    """Compiles ahead what `begin` needs, for this process and those forked from it."""
    if compiler in _libraries or not _can_wait(compiler):
        return
    _linker(compiler)
    with tempfile.TemporaryDirectory(prefix="fuselab-") as folder:
        shutil.copyfile(_SOURCE, Path(folder, _SOURCE.name))
        command = (compiler, *_BUILD)
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if done.returncode == 0:
            _libraries[compiler] = Path(folder, "waiting.so").read_bytes()


def _taker(compiler: str, target: str, linked: Sequence[str]) -> str:
    """The shell's command that makes a library of the assembly that it reads."""
    compiled = f"{target}.o"
    assembling = shlex.join(("as", "-o", compiled))
    linking = shlex.join((*_linker(compiler), "-o", target, compiled, *linked))
    return f"{assembling} && exec {linking}"


@cache
def _linker(compiler: str) -> tuple[str, ...]:
    """The linker's command, which finds the libraries that `compiler` finds."""
    command = (compiler, "-print-search-dirs")
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = next(x for x in said.splitlines() if x.startswith("libraries: ="))
    folders = line.removeprefix("libraries: =").split(":")
    there = dict.fromkeys(os.path.normpath(x) for x in folders if os.path.isdir(x))
    own = (f"-L{folder}" for folder in there)
    return ("ld", "-shared", "--as-needed", "--eh-frame-hdr", *own)


@cache
def _can_wait(compiler: str) -> bool:
    """Whether it may: what the assembler and the linker are called with is gcc's own on x86-64."""
    known = Path(compiler).name == "gcc" and platform.machine() == "x86_64"
    tools = sys.platform == "linux" and shutil.which("as") and shutil.which("ld")
    return bool(known and tools)
