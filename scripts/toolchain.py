"""Makes a toolchain: an environment with other versions of some packages than `.venv` has.

`python scripts/toolchain.py NAME` installs what `toolchains/NAME.txt` pins into `.toolchains/NAME`,
which takes everything else from the environment that this runs in. `.toolchains/NAME/bin/python`
then runs the command line under these versions. Pins that begin with `# alone` are those of another
compiler, in an environment that takes nothing from this one. Pins that begin with `# Python 3.12`
need that version: where this one is older, the environment is of that Python and has everything.
All is installed by the hashes in `locked.txt` and `toolchains/locked/NAME.txt`, which
scripts/lock.py writes; pins of one's own that have none there are installed by their versions,
which is said.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.lock import LOCKED, package  # noqa: E402  the root joins the path above
from scripts.locked_here import install_into, with_build  # noqa: E402

PINS = ROOT / "toolchains"
PINNED = ROOT / "constraints.txt"
ENVIRONMENTS = ROOT / ".toolchains"
_ALONE = "# alone"
_NEEDS = re.compile(r"# Python (\d+)\.(\d+)\n")

Version = tuple[int, int]


def make(name: str) -> Path:
    """The environment's interpreter; nothing is done for one whose pins it has, and, where it has
    everything, what the compiler needs today. Raises SystemExit for a name without pins, and where
    there is no Python that they need."""
    pins = PINS / f"{name}.txt"
    if not pins.is_file():
        known = ", ".join(sorted(p.stem for p in PINS.glob("*.txt")))
        raise SystemExit(f"there is no toolchain {name!r}: choose among {known}")
    folder, text = ENVIRONMENTS / name, pins.read_text()
    python, stamp = folder / "bin" / "python", folder / "pins.txt"
    main = _seen_from(site(folder), Path(sysconfig.get_path("purelib")))
    needed = _newer(text)
    wanted = f"{text}# with {', '.join(_needs())}\n" if needed else f"{text}# beside {main}\n"
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    if needed:
        _complete(folder, needed, text)
    else:
        _beside(folder, main, text)
    stamp.write_text(wanted)
    return python


def _beside(folder: Path, main: str, pins: str) -> None:
    venv.create(folder, clear=True)
    # Before it can see the other environment, whose versions would be taken for its own.
    python, lock = folder / "bin" / "python", _lock(folder.name)
    hashes = ("-c", lock) if lock else ()
    subprocess.run([*install_into(python), "--no-deps", *hashes, *_entries(pins)], check=True)
    if not pins.startswith(_ALONE):
        see(folder, main)


def _complete(folder: Path, version: Version, pins: str) -> None:
    """With what the compiler needs, the pins in place of its own."""
    subprocess.run([_python(version), "-m", "venv", "--clear", "--without-pip", folder], check=True)
    own = _entries(pins)
    others = _without(_needs(), own)
    python, lock = folder / "bin" / "python", _lock(folder.name)
    # Where some have hashes, pip asks for those of all.
    known = with_build(LOCKED.read_text(), python) if lock else _entries(PINNED.read_text())
    limits = folder / "constraints.txt"
    text = [*_without(known, own), lock.read_text() if lock else ""]
    limits.write_text("\n".join(text) + "\n")
    install = install_into(python)
    subprocess.run([*install, "-c", limits, *own, *others], check=True)
    # torch.compile finds the back end by the installed project's entry point.
    subprocess.run([*install, "--no-deps", "--editable", ROOT], check=True)


def _lock(name: str) -> Path | None:
    """The file with the hashes of what this toolchain pins."""
    lock = PINS / "locked" / f"{name}.txt"
    if lock.is_file():
        return lock
    print(f"{name} has no hashes: it is installed by its versions. scripts/lock.py writes them.")
    return None


def _needs() -> list[str]:
    """What the compiler needs."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    return _members(groups, "core")


def _members(groups: dict[str, list[Any]], name: str) -> list[str]:
    """Those of a group, and of the groups that it includes."""
    return [
        member
        for entry in groups[name]
        for member in (
            [entry] if isinstance(entry, str) else _members(groups, entry["include-group"])
        )
    ]


def _entries(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _without(entries: list[str], others: list[str]) -> list[str]:
    """Those of other packages."""
    names = {package(each) for each in others}
    return [each for each in entries if package(each) not in names]


def _newer(pins: str) -> Version | None:
    """The Python that the pins need, where this one is older."""
    found = _NEEDS.match(pins)
    needed = (int(found[1]), int(found[2])) if found else None
    return needed if needed and sys.version_info[:2] < needed else None


def _python(version: Version) -> str:
    name = "python{}.{}".format(*version)
    for each in (os.environ.get("PYTHON"), name):
        path = shutil.which(each) if each else None
        if path and _is(path, version):
            return path
    raise SystemExit(f"this toolchain needs {name}, which is not here: install it, or name it with "
        f"PYTHON=/path/to/{name}")  # fmt: skip


def _is(path: str, version: Version) -> bool:
    code = f"import sys; sys.exit(sys.version_info[:2] != {version})"
    return (
        subprocess.run([path, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode == 0
    )


def site(folder: Path) -> Path:
    """Where the packages of an environment in `folder` are, which this interpreter makes."""
    return folder / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"


def see(folder: Path, packages: str) -> None:
    """What the environment lacks comes from `packages`: folders of a .pth file come after its
    own."""
    (site(folder) / "from-the-main-environment.pth").write_text(f"{packages}\n")


def _seen_from(own: Path, packages: Path) -> str:
    """Within the project by the way from one to the other, which is the same in a sandbox."""
    if packages.is_relative_to(ROOT):
        return os.path.relpath(packages, own)
    return str(packages)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python scripts/toolchain.py NAME")
    print(f"made {make(sys.argv[1]).relative_to(ROOT)}")
