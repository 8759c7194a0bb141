"""Writes locked.txt, what constraints.txt pins, with the hashes of all its files on PyPI; and
toolchains/locked/, the same of what each file in toolchains/ pins, and pip.txt, of the pip that
installs them all and that stays of its version.

`python scripts/lock.py [INDEX...]`, after pins were changed; it needs uv and the network. torch has
builds of its own at other indexes: of each INDEX named, as that of PyTorch's builds for CPUs, the
hashes of that version are added. Those that are known stay for as long as the version does, so that
an index is named once for each.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKED = ROOT / "locked.txt"
PIP = ROOT / "pip.txt"
TOOLCHAINS = ROOT / "toolchains"
_HEAD = "# Written by scripts/lock.py: pins, with the hashes of all their files.\n"
_GROUPS = ("core", "worker", "run", "dev")
_ANY_PYTHON = ("--universal", "--python-version")
_OLDEST = "3.11"
_NEEDS = re.compile(r"# Python (\d+\.\d+)\n")
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


def blocks(text: str) -> Iterator[str]:
    """Each package of a file with hashes, with all its lines."""
    for each in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE):
        if each.strip() and not each.startswith("#"):
            yield each


def package(entry: str) -> str:
    """The name of what an entry is of."""
    return re.split(r"[\[=<>!~; ]", entry, maxsplit=1)[0].lower().replace("_", "-")


def _compiled(*args: str | Path, given: str = "") -> str:
    """What uv's resolver makes of what the arguments name, `-` being `given`."""
    options = ("--quiet", "--generate-hashes", "--no-header", "--no-annotate")
    command = ("uv", "pip", "compile", *options, *args)
    done = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, input=given
    )
    return done.stdout


def _project(indexes: Iterable[str]) -> str:
    groups = [word for group in _GROUPS for word in ("--group", group)]
    text = _compiled("pyproject.toml", *groups, *_ANY_PYTHON, _OLDEST, "-c", "constraints.txt")
    return "".join(
        _with_others(each, indexes) if package(each) == "torch" else each for each in blocks(text)
    )


def _with_others(torch: str, indexes: Iterable[str]) -> str:
    """The entry of torch, with the hashes of its builds elsewhere."""
    pin = torch.split(" ", 1)[0]
    known = [each for each in blocks(LOCKED.read_text()) if each.startswith(f"{pin} ")]
    for index in indexes:
        there = ("-", "--no-deps", "--index-url", index, *_ANY_PYTHON, _OLDEST)
        known.append(_compiled(*there, given=pin))
    hashes = sorted(set(_HASH.findall("".join((torch, *known)))))
    return " \\\n    ".join((pin, *(f"--hash={each}" for each in hashes))) + "\n"


def _toolchain(pins: Path) -> str:
    needed = _NEEDS.match(pins.read_text())
    version = needed[1] if needed else _OLDEST
    return _compiled(pins, "--no-deps", *_ANY_PYTHON, version)


def _pip() -> str:
    (entry,) = blocks(PIP.read_text())
    return _compiled("-", "--no-deps", *_ANY_PYTHON, _OLDEST, given=entry.split(" ", 1)[0])


def main(indexes: Iterable[str]) -> None:
    """Writes them all."""
    LOCKED.write_text(_HEAD + _project(indexes))
    PIP.write_text(_HEAD + _pip())
    for pins in TOOLCHAINS.glob("*.txt"):
        (TOOLCHAINS / "locked" / pins.name).write_text(_HEAD + _toolchain(pins))


if __name__ == "__main__":
    main(sys.argv[1:])
