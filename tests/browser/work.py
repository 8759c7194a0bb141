"""How much a page works and keeps. Work is processor time of its main thread, which other programs
on the machine do not lengthen, in units of a known piece of work that the same page does."""

import json
import statistics
from collections.abc import Callable
from typing import Any

from playwright.sync_api import CDPSession, Page

# As a page's own work is: texts read and written, objects made and sorted.
_KNOWN = """() => {
  const rows = Array.from({length: 12000}, (_, i) => ({id: (i * 7919) % 12007, text: `row ${i}`}));
  const read = JSON.parse(JSON.stringify(rows)).sort((a, b) => a.id - b.id);
  return read.length;
}"""
_TIMES = 7
# It takes so much of the machine that budgets are for.
KNOWN_MS = 10


def session(page: Page) -> CDPSession:
    """One that `spent_ms` asks."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    return cdp


def spent_ms(cdp: CDPSession) -> float:
    """What tasks of the page's main thread have taken of the processors since it was opened."""
    found = {each["name"]: each["value"] for each in cdp.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"]) * 1e3


def known_ms(page: Page) -> float:
    """What the known piece of work takes of the processors: the median of several."""
    cdp = session(page)

    def once() -> float:
        before = spent_ms(cdp)
        page.evaluate(_KNOWN)
        return spent_ms(cdp) - before

    return statistics.median(once() for _ in range(_TIMES))


def longest_ms(page: Page, act: Callable[[], None]) -> float:
    """What the longest task of the page's main thread took of the processors while something was
    done. For a page of a browser that is not traced yet."""
    browser = page.context.browser
    assert browser
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    try:
        act()
    finally:
        trace = browser.stop_tracing()
    events: list[dict[str, Any]] = json.loads(trace)["traceEvents"]
    mains = {
        (e["pid"], e["tid"])
        for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    return max(e["tdur"] / 1e3 for e in events if "tdur" in e and (e["pid"], e["tid"]) in mains)
