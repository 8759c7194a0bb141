"""Whoever types while a large run streams: `python -m bench.keystrokes http://127.0.0.1:8000`.

A GPT of twelve blocks (`bench/models/char_gpt_12.py`) is run on a server that is there already, and
a letter is typed every 50 ms into the editor beside it, in a Chromium that the tests use. Said are
the longest tasks of the page's main thread, by the processor and by the clock, and the longest that
a key waited to be drawn (the browser's Event Timing, which is coarse: multiples of 8 ms).
"""

import argparse
import json
import time
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.suites import ROOT
from scripts import chromium

GPT = ROOT / "bench" / "models" / "char_gpt_12.py"
FLAGS = ["--no-sandbox", "--disable-gpu"]
PAUSE_MS = 50
# A line is broken before it is so long that nobody writes it.
LINE = 60
OVER = ("done", "failed", "cancelled")
MOST = 5
_WATCH = """() => {
  window.waits = [];
  new PerformanceObserver(list => waits.push(...list.getEntries().map(each => each.duration)))
    .observe({type: "event", durationThreshold: 16});
}"""


@dataclass(frozen=True)
class Typed:
    """So many keys while the run of an address went on until a state; milliseconds of the tasks of
    the page's main thread, of a processor and by the clock, and of the waits of a key."""

    keys: int
    address: str
    state: str
    tasks: list[tuple[float, float]]
    waits: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.keystrokes", description=__doc__)
    parser.add_argument("url", help="where the server is")
    parser.add_argument("--seconds", type=float, default=300, help="type for no longer")
    args = parser.parse_args()
    executable = chromium.find()
    assert executable, chromium.problem()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        found = typed(browser, args.url, args.seconds)
        browser.close()
    print(f"{found.keys} keys, the run then {found.state}")
    print("longest tasks, ms of a processor:", _longest(cpu for cpu, _ in found.tasks))
    print("longest tasks, ms by the clock:  ", _longest(wall for _, wall in found.tasks))
    print("longest waits of a key, ms:      ", _longest(found.waits))


def typed(browser: Browser, url: str, seconds: float) -> Typed:
    """Types while the GPT is compiled, for no longer than so many seconds."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(url)
    _write(page, GPT.read_text())
    page.evaluate(_WATCH)
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    keys, state = _type(page, seconds)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    waits, address = page.evaluate("waits"), page.url
    page.close()
    return Typed(keys, address, state, tasks_of(events), waits)


def _write(page: Page, source: str) -> None:
    """Puts a snippet that nobody has run yet into the editor."""
    page.get_by_role("textbox", name="Source").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(f"{source}\n# {time.time_ns()}\n")
    page.get_by_role("checkbox", name="Measure").set_checked(False)
    page.get_by_role("textbox", name="Source").click()
    page.keyboard.press("ControlOrMeta+End")
    page.wait_for_timeout(1000)


def _type(page: Page, seconds: float) -> tuple[int, str]:
    """Runs the snippet and types until the run is over; how many keys, and its state then."""
    page.keyboard.press("ControlOrMeta+Enter")
    until, typed, state = time.monotonic() + seconds, 0, ""
    while state not in OVER and time.monotonic() < until:
        page.keyboard.type("\n# " if typed % LINE == 0 else "y")
        page.wait_for_timeout(PAUSE_MS)
        typed += 1
        if typed % LINE == 0:
            state = page.get_by_test_id("state").text_content() or ""
    return typed, state


def tasks_of(events: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """Milliseconds of each task of the page's main thread: of a processor, and by the clock."""
    mains = {
        (e["pid"], e["tid"])
        for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    return [
        (e["tdur"] / 1e3, e["dur"] / 1e3)
        for e in events
        if e["name"].endswith("RunTask") and "tdur" in e and (e["pid"], e["tid"]) in mains
    ]


def _longest(found: Any) -> str:
    return ", ".join(f"{each:.0f}" for each in sorted(found, reverse=True)[:MOST])


if __name__ == "__main__":
    main()
