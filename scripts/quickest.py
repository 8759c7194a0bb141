"""Of several Pythons of one version, the one to make `.venv` of: the first, or a much quicker one.

`python scripts/quickest.py FIRST OTHER...` prints which. How a Python was built decides how fast it
is: by a profile of itself, as Debian, Docker and python.org build theirs, it does the same in two
thirds of the time of one that pyenv built without options. What it was built with is not written
down everywhere, so each is measured.
"""

import json
import subprocess
import sys
from typing import NamedTuple

# The other has its extension modules and its settings elsewhere: for a little nobody wants that.
WORTH = 1.2
SECONDS = 20

# What it says of itself: its version; whether it can make environments and has the headers that
# Triton and TorchInductor compile with; the milliseconds of a loop as a compiler's code has them.
_PROBE = """
import importlib.util, json, pathlib, sys, sysconfig, time
def once():
    begun = time.process_time()
    found = {}
    for i in range(20_000):
        found.setdefault(i % 977, []).append((i, str(i)))
    sorted(found.values(), key=lambda each: each[0][1])
    return 1e3 * (time.process_time() - begun)
whole = importlib.util.find_spec("ensurepip") is not None
headers = pathlib.Path(sysconfig.get_path("include"), "Python.h").exists()
print(json.dumps([list(sys.version_info[:2]), whole and headers, min(once() for _ in range(9))]))
"""


class Told(NamedTuple):
    """What a Python said of itself."""

    version: tuple[int, ...]
    able: bool
    ms: float


def quickest(first: str, others: list[str]) -> str:
    mine = ask(first)
    if mine is None:
        return first
    told = [(python, ask(python)) for python in others]
    alike = [(t.ms, p) for p, t in told if t and t.able and t.version == mine.version]
    ms, python = min(alike, default=(mine.ms, first))
    return python if ms * WORTH < mine.ms else first


def ask(python: str) -> Told | None:
    """None of what does not answer so: whatever is on the path under this name."""
    command = [python, "-I", "-c", _PROBE]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        version, able, ms = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return Told(tuple(version), able, ms)


if __name__ == "__main__":
    print(quickest(sys.argv[1], sys.argv[2:]))
