"""What is kept of the C compiler's work, seen on texts of one function."""

import os
import time
from pathlib import Path

import pytest

from compiler_core.runtime import gcc
from tests.kept_plugin import DAYS, Kept, folder, forget_old

pytestmark = pytest.mark.cpu


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run; what they make is kept in a folder of the test's own."""
    run = gcc._run
    while isinstance(run, Kept):
        run = run._run
    commands: list[list[str]] = []

    def counted(command: list[str], seconds: float) -> bool:
        commands.append(command)
        return run(command, seconds)

    monkeypatch.setattr(gcc, "_run", Kept(counted, tmp_path))
    return commands


def test_a_text_is_compiled_once(compiled: list[list[str]], tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert gcc.load("int five(void) { return 5; }", name).handle.five() == 5
    assert len(compiled) == len(os.listdir(tmp_path)) == 1


def test_another_text_and_other_flags_are_compiled(
    compiled: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    gcc.load("int six(void) { return 6; }")
    assert gcc.load("int six(void) { return 7; }").handle.six() == 7
    monkeypatch.setattr(gcc, "FLAGS", (*gcc.FLAGS, "-DEIGHT=8"))
    gcc.load("int six(void) { return 6; }")
    assert len(compiled) == 3


def test_what_is_compiled_ahead_is_part_of_what_is_asked(
    compiled: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "int nine(void) { return 9; }\nint f(void) { return nine(); }"
    for value in ("9", "10"):
        monkeypatch.setattr(gcc, "_ahead", {})
        gcc.compile_ahead(
            f"int nine(void) {{ return {value}; }}",
            {"int nine(void) { return 9; }": "int nine(void);"},
        )
        assert gcc.load(text).handle.f() == int(value)
    assert len(compiled) == 4


def test_a_text_that_is_refused_is_refused_again(compiled: list[list[str]]) -> None:
    for _ in range(2):
        with pytest.raises(gcc.ToolchainError, match="refused"):
            gcc.load("int f(void) { return nothing_of_the_kind; }")
    assert len(compiled) == 2


def test_it_is_kept_for_all_checkouts_of_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    here = folder()
    monkeypatch.chdir(tmp_path)
    assert folder() == here == tmp_path / "fuselab" / "compiled" and here.is_dir()


def test_what_nobody_asked_for_in_a_week_is_forgotten(tmp_path: Path) -> None:
    for name, days in (("old", DAYS + 1), ("new", DAYS - 1)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, times=(time.time() - days * 86_400,) * 2)
    forget_old(tmp_path)
    assert os.listdir(tmp_path) == ["new"]
