"""Where the browser tests find their browser, and what they say where there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import chromium as browser

ROOT = Path(__file__).resolve().parents[2]


def test_the_named_executable_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert browser.find() == sys.executable


def test_a_wrong_name_is_one_clear_sentence() -> None:
    result = subprocess.run(
        (sys.executable, "scripts/chromium.py"),
        cwd=ROOT,
        env={"CHROMIUM": "/nowhere", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    sentence = "CHROMIUM=/nowhere is not an executable file: name another or unset it.\n"
    assert (result.returncode, result.stdout, result.stderr) == (1, "", sentence)
