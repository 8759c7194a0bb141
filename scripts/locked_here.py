"""Writes FILE: locked.txt, with torch of that build of its version which pip's indexes offer here.

`python scripts/locked_here.py FILE`, by the Python whose pip then installs with `-c FILE`. Where
pip is told of several builds, for CUDA at one index and for CPUs at another, it is to take the one
that it takes without hashes: with them it prefers a build whose index says its hash to one that
lies in a folder, and would bring gigabytes of libraries for a GPU that is not there.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.lock import LOCKED, blocks, package  # noqa: E402  the root joins the path above

_DRY = ("--dry-run", "--no-deps", "--report", "-")


def install_into(python: str | Path) -> tuple[str, ...]:
    """The command that installs into the environment of `python`: by the pip of this one, which
    takes hashes from constraints, as what comes with a Python may not."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-qq")
    return (*pip, "--python", str(python), "install")


def with_build(locked: str, python: str | Path = sys.executable) -> list[str]:
    """The entries of `locked`, with torch pinned to the build that the pip of `python` would take.
    Raises CalledProcessError where no index has that version."""
    found = blocks(locked)
    return [_pinned(each, python) if package(each) == "torch" else each for each in found]


def _pinned(torch: str, python: str | Path) -> str:
    pin = torch.split(maxsplit=1)[0]
    asked = (*install_into(python), *_DRY, pin)
    said = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout
    # Nothing where it is there already.
    builds = [each["metadata"]["version"] for each in json.loads(said)["install"]]
    return torch.replace(pin, f"torch=={builds[0]}", 1) if builds else torch


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python scripts/locked_here.py FILE")
    Path(sys.argv[1]).write_text("".join(with_build(LOCKED.read_text())))
