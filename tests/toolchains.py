"""Toolchains made in no time: environments over this one, which claim versions that they have not
got."""

import sys
import sysconfig
import venv
from pathlib import Path

from compiler_core.environments import Toolchain, installed
from scripts import toolchain


def make(folder: Path, name: str, **own: str) -> Toolchain:
    """The toolchain `name` in `folder`, which seems to have the packages `own` in these versions.
    It takes all others from this environment, as those do that scripts/toolchain.py makes."""
    venv.create(folder / name, symlinks=True)
    for package, version in own.items():
        info = toolchain.site(folder / name) / f"{package}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
        )
    toolchain.see(folder / name, _main(folder))
    return installed(folder)[name]


def _main(folder: Path) -> str:
    """This environment's packages, at the same place beside `folder` as they are in a project."""
    packages = sysconfig.get_path("purelib")
    if sys.prefix == sys.base_prefix:
        return packages
    beside = folder.parent / ".venv"
    if not beside.is_symlink():
        beside.symlink_to(sys.prefix)
    return str(Path("../../../../..", beside.name, Path(packages).relative_to(sys.prefix)))
