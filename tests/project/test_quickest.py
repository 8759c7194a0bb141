"""Which Python the environment is made of, where several are on the path."""

import sys
from pathlib import Path

import pytest

from scripts import quickest


@pytest.fixture
def told(tmp_path: Path):
    """Makes executables that answer as Pythons of this version and speed do."""

    def python(name: str, ms: float, version: str = "[3, 11]", able: str = "true") -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\necho '[{version}, {able}, {ms}]'\n")
        path.chmod(0o755)
        return str(path)

    return python


def test_a_much_quicker_one_of_the_same_version_is_taken(told) -> None:
    first, quick, quicker = told("first", 10), told("quick", 7), told("quicker", 6)
    assert quickest.quickest(first, [first, quick, quicker]) == quicker


@pytest.mark.parametrize(
    "other",
    [{"ms": 9}, {"ms": 6, "version": "[3, 12]"}, {"ms": 6, "able": "false"}],
    ids=["little quicker", "of another version", "without headers or venv"],
)
def test_otherwise_it_is_the_first(told, other: dict) -> None:
    first = told("first", 10)
    assert quickest.quickest(first, [first, told("other", **other)]) == first


def test_what_is_no_python_is_passed_over(told, tmp_path: Path) -> None:
    first, quick = told("first", 10), told("quick", 6)
    (tmp_path / "silent").symlink_to("/bin/true")
    others = [str(tmp_path / "absent"), str(tmp_path / "silent"), quick]
    assert quickest.quickest(first, others) == quick


def test_this_python_says_what_it_is() -> None:
    me = quickest.ask(sys.executable)
    assert me is not None
    assert me.version == sys.version_info[:2]
    assert 0.1 < me.ms < 10_000
