"""Where the browser tests find their browser, and what they say where there is none."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import chromium as browser

ROOT = Path(__file__).resolve().parents[2]
SHELL, WHOLE = "chromium-headless-shell", "chromium"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Puts executables of these names, and what they do, where alone they are looked for."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    # Playwright's own is not on it either.
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))

    def with_(*names: str, text: str = "") -> Path:
        for name in names:
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}")
            (tmp_path / name).chmod(0o755)
        return tmp_path

    return with_


def test_the_named_executable_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert browser.find() == sys.executable


def test_a_headless_shell_comes_before_a_whole_browser(machine: Callable[..., Path]) -> None:
    folder = machine(SHELL, WHOLE)
    assert browser.find() == str(folder / SHELL)


def test_a_whole_browser_will_do(machine: Callable[..., Path]) -> None:
    folder = machine(WHOLE)
    assert browser.find() == str(folder / WHOLE)


@pytest.mark.parametrize("packaged", [(SHELL, WHOLE), (WHOLE,)])
def test_of_the_packages_the_first_there_is_is_installed(
    machine: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, packaged: tuple[str, ...]
) -> None:
    """The last word of a call is what it is to install; it exists where it is packaged."""
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    folder = machine("apt-get", text=_INSTALLING.format(packaged="|".join(packaged)))
    assert browser.install() == str(folder / packaged[0])
    assert not {*packaged[1:]} & {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(("ci", "expected"), [("true", SHELL), ("", WHOLE)])
def test_continuous_integration_installs_a_shell_beside_a_whole_browser(
    machine: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, ci: str, expected: str
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    folder = machine("apt-get", text=_INSTALLING.format(packaged=SHELL))
    machine(WHOLE)
    assert browser.chosen() == str(folder / expected)


def test_a_whole_browser_will_do_where_no_shell_is_packaged(
    machine: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    folder = machine("apt-get", text="exit 100")
    machine(WHOLE)
    assert browser.chosen() == str(folder / WHOLE)


_INSTALLING = """for last; do :; done
case $last in
    {packaged}) echo '#!/bin/sh' > "${{0%/*}}/$last" && /bin/chmod +x "${{0%/*}}/$last" ;;
    *) exit 100 ;;
esac
"""


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
