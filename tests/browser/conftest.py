"""The whole of Fuselab as `make run` starts it, on a free port, and a Chromium to look at it."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from scripts import chromium as executable
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Redis's databases are numbered; the other tests use 0, and their worker must not take our runs.
OWN_DATABASE = "/7"
START_SECONDS = 60
STOP_SECONDS = 20

expect.set_options(timeout=30_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")
            item.add_marker(pytest.mark.timeout(120))


@pytest.fixture(scope="session")
def stack_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stack")


@pytest.fixture(scope="session")
def live_stack(redis_url: str, stack_folder: Path) -> Iterator[str]:
    """Web, worker and sandbox; the address of the page."""
    folder = stack_folder
    subprocess.run([sys.executable, "frontend/build.py"], cwd=ROOT, check=True, timeout=300)
    port = free_port()
    environment = {
        **os.environ,
        "DATABASE_URL": _database(folder),
        "REDIS_URL": redis_url.rpartition("/")[0] + OWN_DATABASE,
        "FUSELAB_RUN_RATE": "1000/min",
    }
    command = [sys.executable, "-m", "launcher", "--port", str(port)]
    with open(folder / "log", "wb") as log:
        launcher = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url, launcher, folder / "log")
        yield url
    finally:
        launcher.send_signal(signal.SIGTERM)
        launcher.wait(STOP_SECONDS)


def _database(folder: Path) -> str:
    return f"sqlite:///{folder / 'fuselab.sqlite3'}"


@pytest.fixture(scope="session")
def store(live_stack: str, stack_folder: Path) -> Callable[..., str]:
    """Stores a report, as JSON, as that of a run that is done, or with "--events" the lines of its
    events as those of a run that goes on; gives the run's address."""
    environment = {**os.environ, "DATABASE_URL": _database(stack_folder)}
    command = [sys.executable, str(Path(__file__).parent / "store_run.py")]

    def store_report(raw: bytes, *options: str) -> str:
        done = subprocess.run(
            [*command, *options],
            input=raw,
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
            timeout=60,
        )
        return done.stdout.decode().strip()

    return store_report


def _wait_for(url: str, launcher: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while launcher.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    launcher.terminate()
    raise RuntimeError(f"Fuselab did not start:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A module's own: Playwright's event loop must not outlive it, or async tests cannot run."""
    found = executable.find()
    assert found, executable.problem()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def context(chromium: Browser, live_stack: str) -> Iterator[BrowserContext]:
    """A person's browser at the address of the stack: room for all panes. A module's own, for
    compiling the page's script and loading its fonts takes longer than most tests."""
    result = chromium.new_context(
        base_url=live_stack,
        viewport={"width": 1440, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )
    yield result
    result.close()


def _complains(message: ConsoleMessage) -> bool:
    """Chromium itself reports a request that was refused, which some tests provoke."""
    return message.type == "error" and "status of 422" not in message.text


def _forget(page: Page, origin: str) -> None:
    """Forgets what earlier pages left in the browser, but for the files that they loaded."""
    page.context.clear_cookies()
    left = {"origin": origin, "storageTypes": "local_storage"}
    page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", left)


@pytest.fixture
def page(context: BrowserContext, live_stack: str) -> Iterator[Page]:
    """A page that nothing was kept for, and that must not complain in its console."""
    result = context.new_page()
    _forget(result, live_stack)
    complaints: list[str] = []
    result.on("console", lambda m: complaints.append(m.text) if _complains(m) else None)
    result.on("pageerror", lambda error: complaints.append(str(error)))
    yield result
    result.close()
    assert complaints == []
