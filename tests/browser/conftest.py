"""The whole of Fuselab as `make run` starts it, on a free port, and a Chromium to look at it."""

import asyncio
import json
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
    Page,
    Playwright,
    ViewportSize,
    expect,
    sync_playwright,
)

from scripts import chromium as executable
from tests.browser import api
from tests.browser.steps import GELU, PHONE, room
from tests.browser.tabs import Tabs
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = f"{Path(__file__).parent}{os.sep}"
# What of the browser no test uses. The menus below its address are two pages of its own beside
# each window: to draw them took as long as the page that a test opens there.
UNUSED = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    # Playwright's own list, which this one takes the place of.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "AimEnabled"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "PreconnectToSearch"),
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(UNUSED)}",
]
# A page is open for a second or two: what V8 compiles once more for it, in threads beside it, would
# pay in a minute, and took a seventh of all that the tests of the page do. Budgets are for a
# browser without this, as people have it.
BRIEF = ["--js-flags=--no-opt --no-maglev"]
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
# Redis's databases are numbered; the other tests use 0, and their worker must not take our runs.
OWN_DATABASE = "/7"
# On a machine that does much else.
START_SECONDS = 120
STOP_SECONDS = 20

expect.set_options(timeout=30_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_here(item):
            item.add_marker("browser")
            # The first waits for the stack, and for the compilers to be warm, on a busy machine.
            item.add_marker(pytest.mark.timeout(300))
    # These come first: what another process takes over is from the end of the row, and whoever
    # takes over a test of the page needs a stack and a browser of its own for it.
    items.sort(key=lambda item: not _is_here(item))


def _is_here(item: pytest.Item) -> bool:
    # Asked twice of each of ten thousand: as text, which a path keeps.
    return str(item.path).startswith(HERE)


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
        # Every compiler in one run, while other tests have the processors.
        "FUSELAB_DEADLINE": "300",
    }
    environment.pop("XLA_FLAGS", None)  # the tests' own
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
def store(live_stack: str, stack_folder: Path) -> Iterator[Callable[..., str]]:
    """Stores a report, as JSON, as that of a run that is done, or in another of the ways that
    store_run.py knows; gives the run's address."""
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "store_run.py")],
        env={**os.environ, "DATABASE_URL": _database(stack_folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:

        def store_report(raw: bytes, way: str = "done") -> str:
            assert process.stdin and process.stdout
            process.stdin.write(f"{way} {len(raw)}\n".encode() + raw)
            process.stdin.flush()
            address = process.stdout.readline().decode().strip()
            assert address, "nothing was stored: the process ended"
            return address

        yield store_report


@pytest.fixture(scope="session")
def compiled(live_stack: str) -> str:
    """The address of a run of GELU that is done, for whoever only looks at one."""
    return api.ended(live_stack, GELU, measure=False).address


@pytest.fixture(scope="session")
def measured(live_stack: str) -> str:
    """The same with timings."""
    return api.ended(live_stack, GELU).address


def _wait_for(url: str, launcher: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while launcher.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/api/v1/health", timeout=2) as answer:
                # Until a worker has said what it runs, no two runs are known to be identical.
                if json.load(answer)["workers"]:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    launcher.terminate()
    raise RuntimeError(f"Fuselab did not start:\n{log.read_text(errors='replace')}")


# What somebody left on the front page who has been here before: no example is shown to them.
DRAFT = "import torch\n"
_LEFT = f"""try {{ localStorage["fuselab.draft"] ??= {DRAFT!r} }} catch {{ }}"""


def returning(context: BrowserContext) -> BrowserContext:
    """The same browser, of somebody who has a draft: most tests are not about a first visit."""
    context.add_init_script(_LEFT)
    return context


_loops: list[asyncio.AbstractEventLoop] = []


def _runs(now: bool) -> None:
    """Between its calls, Playwright's event loop counts as running. Outside these tests it must
    not, or async ones could not run."""
    asyncio._set_running_loop(_loops[0] if now and _loops else None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    _runs(True)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    try:
        return (yield)
    finally:
        _runs(False)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as result:
        _loops.append(asyncio.get_running_loop())
        yield result
        _runs(True)
    _loops.clear()


@pytest.fixture(scope="session")
def installed() -> str:
    """The path of a Chromium."""
    found = executable.find()
    assert found, executable.problem()
    return found


@pytest.fixture(scope="session")
def chromium(playwright: Playwright, installed: str) -> Iterator[Browser]:
    """For browsers of other people, other sizes or with nothing loaded. One for all tests: to start
    it takes longer than most of them."""
    browser = playwright.chromium.launch(executable_path=installed, args=FLAGS + BRIEF)
    yield browser
    _runs(True)
    browser.close()


@pytest.fixture(scope="session")
def optimizing(playwright: Playwright, installed: str) -> Iterator[Browser]:
    """As people have it, for whoever measures the page."""
    browser = playwright.chromium.launch(executable_path=installed, args=FLAGS)
    yield browser
    _runs(True)
    browser.close()


@pytest.fixture
def measured_page(optimizing: Browser, live_stack: str) -> Iterator[Page]:
    """Of a browser that has loaded nothing, and was not asked for less motion."""
    context = optimizing.new_context(base_url=live_stack, viewport=VIEWPORT)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def context(
    playwright: Playwright,
    installed: str,
    live_stack: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[BrowserContext]:
    """A person's browser at the address of the stack: room for all panes. One for all tests, with a
    folder of its own, in which it keeps the page's scripts as it has compiled them."""
    result = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("chromium"),
        executable_path=installed,
        args=FLAGS + BRIEF,
        base_url=live_stack,
        viewport=VIEWPORT,
        permissions=["clipboard-read", "clipboard-write"],
        # A bar that travels while a run goes on is drawn sixty times a second.
        reduced_motion="reduce",
    )
    yield returning(result)
    _runs(True)
    result.close()


@pytest.fixture(scope="session")
def tabs(context: BrowserContext, live_stack: str) -> Iterator[Tabs]:
    result = Tabs(context, live_stack, VIEWPORT)
    with result.watched():
        yield result


@pytest.fixture
def page(tabs: Tabs) -> Iterator[Page]:
    """A page that nothing was kept for, and that must not complain in its console."""
    with tabs.turn() as result:
        yield result


@pytest.fixture(scope="module")
def kept_page(tabs: Tabs) -> Iterator[Page]:
    """The same for all tests of a module, where each looks at something else on it: loading it
    takes longer than most of them."""
    with tabs.turn() as result:
        yield result


@pytest.fixture
def lena(page: Page) -> Page:
    """Who opens a workshop."""
    page.goto("/w/")
    page.get_by_label("Title").fill("Fusion")
    page.get_by_label("Your name").fill("Lena")
    page.get_by_role("button", name="Open a workshop").click()
    expect(room(page).get_by_role("button", name="Hand out")).to_be_visible()
    return page


@pytest.fixture
def sam(lena: Page, chromium: Browser, live_stack: str) -> Iterator[Page]:
    """Who joins it, on a phone."""
    context = chromium.new_context(base_url=live_stack, viewport=PHONE, reduced_motion="reduce")
    page = context.new_page()
    page.goto(lena.evaluate("location.pathname"))
    page.get_by_label("Your name").fill("Sam")
    page.get_by_role("button", name="Join").click()
    expect(room(page).get_by_role("button", name="Follow Lena")).to_be_visible()
    yield page
    context.close()
