"""The toolchains of this machine: named environments beside the main one, each with versions of its
own. `make toolchain NAME=...` creates one from its pins in `toolchains/`
(docs/how-to/use-another-toolchain.md).

Everything is read from files: importing a framework would cost 400 MB, and its version would be
that of this process.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from compiler_core.errors import NoToolchain

ROOT = Path(__file__).resolve().parent.parent
# One folder an environment. A sandbox has the project's code, its environment and this folder in
# the same places to one another, so that a toolchain finds there what it takes from the main one.
FOLDER = ROOT / ".toolchains"
PINS = ROOT / "toolchains"

# What a run may be run with; a toolchain with others of its own is for something else, such as a
# further compiler that is called as a process.
FRAMEWORKS = ("torch", "triton", "jax", "jaxlib")
# Those whose versions a result depends on.
PACKAGES = (*FRAMEWORKS, "numpy")
# What Python's venv puts into each environment.
_OF_VENV = ("pip", "setuptools")
NAME = r"[a-z0-9][a-z0-9._-]{0,39}"


@dataclass(frozen=True)
class Toolchain:
    """`python` is its interpreter, and `base` the installation of that Python. `versions` are those
    of Python and of PACKAGES as its programs import them; `own` are those of all packages installed
    in it, except installers."""

    name: str
    folder: Path
    python: Path
    base: Path
    versions: dict[str, str]
    own: dict[str, str]

    @property
    def serves_runs(self) -> bool:
        """Whether the compiler runs in it: all frameworks are there, one or more of its own."""
        has_all = self.versions.keys() >= set(PACKAGES)
        return has_all and not self.own.keys().isdisjoint(FRAMEWORKS)

    @property
    def is_this(self) -> bool:
        """Whether this process runs in it."""
        return Path(sys.prefix).resolve() == self.folder.resolve()


def installed(folder: Path = FOLDER) -> dict[str, Toolchain]:
    """The toolchains in `folder`, by name, without incomplete ones."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    read = (_read(each) for each in found if re.fullmatch(NAME, each.name))
    return {each.name: each for each in read if each is not None}


def find(name: str, folder: Path = FOLDER) -> Toolchain:
    """The toolchain of that name. Raises NoToolchain."""
    found = installed(folder)
    if name in found:
        return found[name]
    if (PINS / f"{name}.txt").is_file():
        made_by = f"make it with `make toolchain NAME={name}`"
        raise NoToolchain(f"the toolchain {name!r} is not installed", remedy=made_by)
    known = sorted({*found, *(pins.stem for pins in PINS.glob("*.txt"))})
    raise NoToolchain(f"there is no toolchain {name!r}", remedy=f"choose among {', '.join(known)}")


def versions(path: Sequence[str | Path], names: Sequence[str] = PACKAGES) -> dict[str, str]:
    """For each of the packages `names` that is installed, the version that a program imports that
    searches the folders `path`."""
    searched = list(map(str, path))
    found = {name: next(iter(distributions(name=name, path=searched)), None) for name in names}
    return {name: each.version for name, each in found.items() if each is not None}


def _read(folder: Path) -> Toolchain | None:
    python, config = folder / "bin" / "python", folder / "pyvenv.cfg"
    site = next(folder.glob("lib/python*/site-packages"), None)
    if site is None or not (python.exists() and config.is_file()):
        return None
    has = {each.name: each.version for each in distributions(path=[str(site)])}
    own = {name.lower(): has[name] for name in sorted(has) if name not in _OF_VENV}
    has_all = {"python": _value(config, "version")} | versions([*_path(site)])
    base = Path(_value(config, "home")).parent
    return Toolchain(folder.name, folder, python, base, has_all, own)


def _path(site: Path) -> Iterator[Path]:
    """The folders that a program of the environment imports packages from, in order."""
    yield site
    for file in sorted(site.glob("*.pth")):
        for line in file.read_text().splitlines():
            if line.strip() and not line.startswith(("#", "import ", "import\t")):
                yield site / line.strip()


def _value(config: Path, key: str) -> str:
    """What pyvenv.cfg says: `version = 3.12.1`."""
    pairs = (line.partition("=") for line in config.read_text().splitlines())
    return next((value.strip() for name, _, value in pairs if name.strip() == key), "")
