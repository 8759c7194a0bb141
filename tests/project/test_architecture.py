"""docs/ARCHITECTURE.md knows the rooms that there are, and no others."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
MAP = TEXT.split("## Code map", 1)[1].split("\n## ", 1)[0]
NAMED = re.findall(r"^\| `([^`]+)` \|", MAP, flags=re.MULTILINE)
WRITTEN = [TEXT, *(path.read_text() for path in sorted((ROOT / "docs").glob("*/*.md")))]
PATHS = [path for text in WRITTEN for path in re.findall(r"`([a-z_]+/[\w/.]*)`", text)]


@pytest.mark.parametrize("path", sorted({*NAMED, *PATHS} - {"webapp/static/app", "var/"}))
def test_what_is_named_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_room_is_on_the_map() -> None:
    rooms = [
        path.parent.relative_to(ROOT)
        for name in ("compiler_core", "worker", "webapp", "launcher", "bench", "conformance")
        for path in (ROOT / name).rglob("__init__.py")
        if not {"management", "migrations"} & {*path.parts}
    ]
    assert not {str(room) for room in rooms} - {name.rstrip("/") for name in NAMED}


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())
    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))


def test_the_tests_of_the_compiler_have_a_folder_for_each_of_its_packages() -> None:
    packages = {path.parent.name for path in (ROOT / "compiler_core").glob("*/__init__.py")}
    tests = ROOT / "tests" / "compiler_core"
    folders = {path.name for path in tests.iterdir() if any(path.rglob("test_*.py"))}
    assert folders - {"command_line"} == packages
