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


# Packages that are one another's counterpart, or that only those around them call: by which tests.
TESTED_BY = {
    "capture/torch/complex_numbers": "capture/complex_numbers/test_complex_numbers.py",
    "ir/eval_jax": "ir/test_evaluators.py",
    "ir/eval_numpy": "ir/test_evaluators.py",
    "ir/eval_torch": "ir/test_evaluators.py",
    "extras/inside": "extras/test_session.py",
    "snippet/stablehlo/rules": "snippet/stablehlo/test_modules.py",
}


def test_each_package_of_the_compiler_has_its_tests_in_a_folder_of_the_same_path() -> None:
    core, tests = ROOT / "compiler_core", ROOT / "tests" / "compiler_core"
    packages = {str(path.parent.relative_to(core)) for path in core.glob("*/**/__init__.py")}
    folders = {str(path.parent.relative_to(tests)) for path in tests.glob("*/**/test_*.py")}
    assert folders - packages == {"command_line"}
    assert packages - folders == TESTED_BY.keys()
    assert [name for name in TESTED_BY.values() if not (tests / name).exists()] == []
