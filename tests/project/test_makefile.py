"""The verbs of the Makefile: they explain themselves and do nothing twice."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOLD = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHON")
STAMP = ROOT / ".venv" / ".fuselab-setup"


def run(*command: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    # These tests may themselves be run by make, which tells its children so.
    environment = {name: value for name, value in os.environ.items() if name not in TOLD}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def copy_setup(to: Path) -> Path:
    (to / "scripts").mkdir()
    for name in (
        "scripts/setup",
        "scripts/lock.py",
        "scripts/locked_here.py",
        "pyproject.toml",
        "locked.txt",
        "pip.txt",
    ):
        shutil.copy(ROOT / name, to / name)
    return to


def test_make_alone_lists_every_verb() -> None:
    verbs = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    lines = run("make").stdout.splitlines()
    assert [line.split()[1] for line in lines] == verbs[0].split()


def test_setting_up_again_does_nothing() -> None:
    assert run("make", "setup").returncode == 0
    before = STAMP.stat().st_mtime_ns
    again = run("make", "setup")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert STAMP.stat().st_mtime_ns == before


def test_a_python_that_is_too_old_is_one_clear_sentence(tmp_path: Path) -> None:
    copy_setup(tmp_path)
    result = run("env", "PYTHON=false", "./scripts/setup", folder=tmp_path)
    sentence = "No Python 3.11 or later found; install one, or name it: "
    assert result.stderr == f"{sentence}make setup PYTHON=/path/to/python3\n"
    assert result.returncode == 1


def test_an_environment_half_made_is_finished_and_not_trusted(tmp_path: Path) -> None:
    copy_setup(tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".fuselab-setup").write_text("of other requirements")
    result = run("env", "PYTHON=false", "./scripts/setup", folder=tmp_path)
    assert result.returncode == 1
