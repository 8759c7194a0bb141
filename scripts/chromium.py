"""Finds a Chromium for the browser tests and installs one where there is none.

`python scripts/chromium.py` prints the executable's path. In this order: $CHROMIUM, what the
machine has, Debian's packages where these may be installed (root), Playwright's own download. A
headless shell comes before a whole browser: tests wait a third as long for the same page
(decision 68). Continuous integration ($CI) installs one beside a whole browser, too.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = (
    *("chromium-headless-shell", "chromium"),
    *("chromium-browser", "google-chrome", "google-chrome-stable"),
)
# Ubuntu has no shell.
PACKAGES = ("chromium-headless-shell", "chromium")
INSTALL_SECONDS = 600
MISSING = (
    "The browser tests need Chromium, and none was found or could be installed. Install it "
    "(Debian: apt-get install chromium-headless-shell) or name an executable: "
    "CHROMIUM=/path/to/chromium"
)
WRONG = "CHROMIUM={path} is not an executable file: name another or unset it."


def find() -> str | None:
    """The executable of a Chromium that is here already."""
    if named := os.environ.get("CHROMIUM"):
        return named if os.access(named, os.X_OK) else None
    return next(filter(None, map(shutil.which, NAMES)), None) or _playwrights()


def install() -> str | None:
    """The same, after trying to install one."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _install_a_package()
    if not find():
        _run([sys.executable, "-m", "playwright", "install", "chromium"], dict(os.environ))
    return find()


def _install_a_package() -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], quiet)
    for package in PACKAGES:
        if not find() or (package == PACKAGES[0] and not shutil.which(package)):
            _run(["apt-get", "install", "-y", "-qq", package], quiet)


def _playwrights() -> str | None:
    # Late: only the development group has it.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _run(command: list[str], environment: dict[str, str]) -> None:
    print("+", *command, file=sys.stderr, flush=True)
    try:
        subprocess.run(
            command,
            env=environment,
            check=False,
            timeout=INSTALL_SECONDS,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
        )
    except subprocess.TimeoutExpired:
        print(f"gave up after {INSTALL_SECONDS} s", file=sys.stderr)


def chosen() -> str | None:
    """The executable that tests use, installed where that is wanted."""
    found = find()
    if os.environ.get("CHROMIUM") or (found and not _slow_in_ci(found)):
        return found
    return install()


def _slow_in_ci(found: str) -> bool:
    # A person's machine is left as it is where there is a browser that will do.
    return bool(os.environ.get("CI")) and not found.endswith(PACKAGES[0])


def problem() -> str:
    """Why there is no Chromium, and what to do."""
    named = os.environ.get("CHROMIUM")
    return WRONG.format(path=named) if named else MISSING


if __name__ == "__main__":
    executable = chosen()
    if not executable:
        sys.exit(problem())
    print(executable)
