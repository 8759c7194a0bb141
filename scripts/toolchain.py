"""Makes a toolchain: an environment with other versions of some packages than `.venv` has.

`python scripts/toolchain.py NAME` installs what `toolchains/NAME.txt` pins into `.toolchains/NAME`,
which takes everything else from the environment that this runs in. `.toolchains/NAME/bin/python`
then runs the command line under these versions. Pins that begin with `# alone` are those of another
compiler, in an environment that takes nothing from this one.
"""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "toolchains"
MADE = ROOT / ".toolchains"
_ALONE = "# alone"


def make(name: str) -> Path:
    """The environment's interpreter; nothing is done for one whose pins it has. Raises SystemExit
    for a name without pins."""
    pins = PINS / f"{name}.txt"
    if not pins.is_file():
        known = ", ".join(sorted(p.stem for p in PINS.glob("*.txt")))
        raise SystemExit(f"there is no toolchain {name!r}: choose among {known}")
    folder = MADE / name
    python, stamp = folder / "bin" / "python", folder / "pins.txt"
    main = _seen_from(site(folder), Path(sysconfig.get_path("purelib")))
    made_of = f"{pins.read_text()}# beside {main}\n"
    if stamp.is_file() and stamp.read_text() == made_of:
        return python
    venv.create(folder, clear=True, with_pip=True)
    # Before it can see the other environment, whose versions would be taken for its own.
    install = [python, "-m", "pip", "--disable-pip-version-check", "-qq", "install", "--no-deps"]
    subprocess.run([*install, "-r", pins], check=True)
    if not pins.read_text().startswith(_ALONE):
        see(folder, main)
    stamp.write_text(made_of)
    return python


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
