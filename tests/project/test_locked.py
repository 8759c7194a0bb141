"""Dependencies are installed by their hashes, and one version of each is named everywhere."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# From whichever index has its build for the machine.
APART = {"torch"}


def name(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def pins(text: str) -> dict[str, str]:
    found = re.findall(r"^([A-Za-z0-9._-]+)(?:\[\w+\])?==([^ ;\\\n]+)", text, flags=re.MULTILINE)
    return {name(package): version for package, version in found}


LOCKED = (ROOT / "locked.txt").read_text()
PINNED = pins((ROOT / "constraints.txt").read_text())


def test_every_package_has_hashes() -> None:
    for each in re.split(r"\n(?=[A-Za-z0-9])", LOCKED.split("\n", 1)[1]):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", each), each.splitlines()[0]


def test_what_is_locked_is_what_is_pinned() -> None:
    locked = pins(LOCKED)
    assert {each: PINNED[each] for each in locked if each in PINNED} == {
        each: version for each, version in locked.items() if each in PINNED
    }
    assert PINNED.keys() - locked.keys() == APART
    # Of other platforms and versions of Python than this one.
    assert locked.keys() - PINNED.keys() <= {"async-timeout", "colorama", "tzdata"}


def test_what_is_asked_for_directly_is_what_is_pinned() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    asked = [each for group in groups.values() for each in group if isinstance(each, str)]
    assert pins("\n".join(asked)).items() <= PINNED.items()
