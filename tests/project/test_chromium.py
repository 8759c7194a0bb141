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


def test_without_one_the_fixture_fails_and_does_not_skip(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", "/nowhere")
    pytester.makeconftest("pytest_plugins = ['tests.chromium_plugin']")
    pytester.makepyfile("def test_page(chromium): pass")
    result = pytester.runpytest_inprocess("-pno:django", "-pno:asyncio")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*CHROMIUM=/nowhere is not an executable file*"])
