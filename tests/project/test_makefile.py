"""The verbs of the Makefile: they explain themselves and do nothing twice."""

import os
import re
import shutil
import subprocess
import sys
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
    for name in ("pyproject.toml", "constraints.txt", "locked.txt"):
        shutil.copy(ROOT / name, to / name)
    for name in ("setup", "quickest.py"):
        shutil.copy(ROOT / "scripts" / name, to / "scripts" / name)
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


def test_of_the_pythons_on_the_path_a_much_quicker_one_is_taken(tmp_path: Path) -> None:
    copy_setup(tmp_path)
    slow = python_on_the_path(tmp_path / "slow", ms=1000)
    quick = python_on_the_path(tmp_path / "quick", ms=0.001)
    path = f"PATH={slow.parent}:{quick.parent}:{os.environ['PATH']}"
    result = run("env", path, "./scripts/setup", folder=tmp_path)
    assert str(quick) in result.stdout
    named = run("env", path, f"PYTHON={slow}", "./scripts/setup", folder=tmp_path)
    assert str(slow) in named.stdout


def python_on_the_path(folder: Path, ms: float) -> Path:
    """As quick as it says, and no environment can be made of it."""
    folder.mkdir()
    python = folder / "python3"
    python.write_text(
        f"""#!/bin/sh
case "$1" in
    -I) echo '[[3, 11], true, {ms}]' ;;
    -m) exit 1 ;;
    *) exec {sys.executable} "$@" ;;
esac
"""
    )
    python.chmod(0o755)
    return python
