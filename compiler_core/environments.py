"""The toolchains of this machine: named environments beside the main one, each with its own
versions of the frameworks. `make toolchain NAME=...` creates one from its pins in `toolchains/`
(docs/how-to/use-another-toolchain.md).

Versions are read from files: importing a framework would cost 400 MB of memory, and would give the
version of this process.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from compiler_core.errors import NoToolchain

ROOT = Path(__file__).resolve().parent.parent
# The folder of environments. A sandbox has the project's code, the main environment and this folder
# at the same relative paths, so that a toolchain finds what it takes from the main environment.
FOLDER = ROOT / ".toolchains"
PINS = ROOT / "toolchains"

# The packages that runs use; a toolchain without its own versions of them serves another purpose,
# such as an extra compiler.
FRAMEWORKS = ("torch", "triton", "jax", "jaxlib")
# The packages whose versions a result depends on.
PACKAGES = (*FRAMEWORKS, "numpy")
# The packages that Python's venv installs in each environment.
_OF_VENV = ("pip", "setuptools")
NAME = r"[a-z0-9][a-z0-9._-]{0,39}"


@dataclass(frozen=True)
class Toolchain:
    """An environment in `folder`, with its interpreter `python` and that interpreter's installation
    `base`. `versions` has the versions, by name, of Python and of PACKAGES that its programs
    import; `own` those of all packages installed in the environment itself, except installers."""

    name: str
    folder: Path
    python: Path
    base: Path
    versions: dict[str, str]
    own: dict[str, str]

    @property
    def serves_runs(self) -> bool:
        """Whether the compiler can run in it: it finds all of PACKAGES, and has a framework of its
        own."""
        has_all = self.versions.keys() >= set(PACKAGES)
        return has_all and not self.own.keys().isdisjoint(FRAMEWORKS)

    @property
    def is_this(self) -> bool:
        """Whether this process runs in it."""
        return Path(sys.prefix).resolve() == self.folder.resolve()


def installed(folder: Path = FOLDER) -> dict[str, Toolchain]:
    """The complete toolchains in `folder`, by name."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    read = (_read(each) for each in found if re.fullmatch(NAME, each.name))
    return {each.name: each for each in read if each is not None}


def find(name: str, folder: Path = FOLDER) -> Toolchain:
    """The toolchain of that name. Raises NoToolchain, with the remedy, if it is not installed."""
    found = installed(folder)
    if name in found:
        return found[name]
    if (PINS / f"{name}.txt").is_file():
        remedy = f"make it with `make toolchain NAME={name}`"
        raise NoToolchain(f"the toolchain {name!r} is not installed", remedy=remedy)
    known = sorted({*found, *(pins.stem for pins in PINS.glob("*.txt"))})
    raise NoToolchain(f"there is no toolchain {name!r}", remedy=f"choose among {', '.join(known)}")


def versions(path: Sequence[str | Path], names: Sequence[str] = PACKAGES) -> dict[str, str]:
    """The version of each of the packages `names` that a program with the search path `path`
    imports; without those that are not installed."""
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
    # Of Debian's /bin, a link, that is /usr and not all there is.
    base = Path(_value(config, "home")).resolve().parent
    return Toolchain(folder.name, folder, python, base, has_all, own)


def _path(site: Path) -> Iterator[Path]:
    """The folders from which a program in the environment imports packages, in order."""
    yield site
    for file in sorted(site.glob("*.pth")):
        for line in file.read_text().splitlines():
            if line.strip() and not line.startswith(("#", "import ", "import\t")):
                yield site / line.strip()


def _value(config: Path, key: str) -> str:
    """A value in pyvenv.cfg, "3.12.1" for `version`; blank if the key is missing."""
    pairs = (line.partition("=") for line in config.read_text().splitlines())
    return next((value.strip() for name, _, value in pairs if name.strip() == key), "")
