"""Prints the path of the quickest build of this Python's version that the machine has.

Builds differ: Debian's interpreter is optimized by a profile of itself, which pyenv's is not unless
one asks for it. What is Python in a run, most of its capture, takes a fifth less there. Each build
reads a small program several times, and one that is quicker by more than chance is taken. Those
come into question that packages find no difference in: of one ABI, with headers and venv.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tokenize
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from time import process_time

# Builds take turns, for a machine that does something else is slower for a while.
ROUNDS, _TIMES = 5, 7
# The share of the processor's time that a build has to save; two looks at one differ by a tenth.
SAVED = 0.15
SECONDS = 20.0


@dataclass(frozen=True)
class Build:
    """An interpreter; `abi` is that of extension modules, `serves` says that it has what an
    environment and the C++ that Inductor generates need, and `seconds` is the least processor time
    that it took for the small program."""

    path: str
    abi: str
    serves: bool
    seconds: float


def this() -> Build:
    """The one that runs this."""
    headers = Path(sysconfig.get_path("include"), "Python.h")
    serves = headers.exists() and all(map(find_spec, ("venv", "ensurepip")))
    abi = str(sysconfig.get_config_var("SOABI"))
    return Build(sys.executable, abi, serves, min(_seconds() for _ in range(_TIMES)))


def _seconds() -> float:
    text, start = Path(__file__).read_text(encoding="utf-8") * 3, process_time()
    for _ in tokenize.generate_tokens(io.StringIO(text).readline):
        pass
    return process_time() - start


def _on_the_path() -> Iterable[str]:
    """Interpreters that may be of this version, but for this one."""
    folders, version = os.get_exec_path(), f"python3.{sys.version_info.minor}"
    found = (shutil.which(name, path=f) for f in folders for name in (version, "python3"))
    once = {os.path.realpath(sys.executable): sys.executable}
    for path in filter(None, found):
        once.setdefault(os.path.realpath(path), path)
    return list(once.values())[1:]


def _told(python: str) -> Iterator[Build]:
    """What another says of itself; nothing if it cannot."""
    command = (python, "-I", __file__, "--told")
    with suppress(OSError, ValueError, TypeError, subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, check=True, timeout=SECONDS)
        yield Build(**json.loads(done.stdout))


def quickest(own: Build, others: Iterable[Build]) -> str:
    """The path of `own`, or of the best of `others` that can take its place."""
    able = [x for x in others if x.serves and x.abi == own.abi]
    best = min(able, key=lambda x: x.seconds, default=own)
    return best.path if best.seconds < own.seconds * (1 - SAVED) else own.path


def _rounds() -> Iterator[Build]:
    for _ in range(ROUNDS):
        for python in (sys.executable, *_on_the_path()):
            yield from _told(python)


def main() -> None:
    if "--told" in sys.argv:
        print(json.dumps(asdict(this())))
        return
    own, *others = least(_rounds())
    print(quickest(own, others))


def least(told: Iterable[Build]) -> list[Build]:
    """Each build with the least seconds that it told, in the order in which they came."""
    found: dict[str, Build] = {}
    for build in told:
        before = found.setdefault(build.path, build)
        found[build.path] = min(before, build, key=lambda x: x.seconds)
    return list(found.values())


if __name__ == "__main__":
    main()
