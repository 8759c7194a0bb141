"""What the page may cost, and what it does: `python -m bench.budgets http://127.0.0.1:8000`.

Of a server that is there already, whose page is this checkout's, in a Chromium that the tests use:

- the bytes of the scripts that the page needs to be seen and written in, as gzip has them;
- the longest task of the page's main thread while somebody types beside a GPT that is compiled
  (bench/keystrokes.py);
- how long that run, stored, takes until its texts stand there and its editor can be written in, by
  the page's own clock, each time in a browser that has loaded nothing;
- what is kept after fifty runs, asked for on the page one after the other, over what is after five.

Written as the table of docs/measuring.md. Times are of the moment: nothing else should run.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench import heap, keystrokes
from frontend import build
from scripts import chromium

FRESH = 5
SECONDS = 90.0
FEW, MANY = 5, 50
# Until what is shown of a stored run has been asked for and drawn, on a slow machine.
_SETTLED_MS = 4000
_END_MS = 120_000
_SMALL = """import torch.nn.functional as F

# inputs: f32[256,128], f32[128]
def bias_gelu(x, b):
    return F.gelu(x + b)
"""
# Runs before the page's own scripts: notes when the stages, the text of the IR, and an editor that
# can be written in are there.
_NOTE = """() => {
  const look = () => {
    const parts = ['[role=tree] [role=treeitem]', '[data-pane=ir] .cm-line:not(:empty)',
      '[data-pane=source] [contenteditable=true] .cm-line:not(:empty)'];
    if (parts.every(part => document.querySelector(part))) window.stood = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}"""


@dataclass(frozen=True)
class Budget:
    """A thing that the page may cost at most; `found` in the same unit."""

    what: str
    most: float
    found: float
    unit: str
    how: str = ""

    @property
    def row(self) -> str:
        """As a row of a table in Markdown."""
        within = "yes" if self.found <= self.most else "**no**"
        most, found = (f"{_said(value)} {self.unit}" for value in (self.most, self.found))
        return f"| {self.what} | {most} | {found}{self.how and f' ({self.how})'} | {within} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.budgets", description=__doc__)
    parser.add_argument("url", help="where the server is")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="type for no longer")
    args = parser.parse_args()
    executable = chromium.find()
    assert executable, chromium.problem()
    print(f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, load {os.getloadavg()[0]:.1f}")
    print("| budget | at most | found | within |\n| --- | --- | --- | --- |")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=keystrokes.FLAGS)
        for each in _budgets(browser, args.url, args.seconds):
            print(each.row, flush=True)
        browser.close()
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def _budgets(browser: Browser, url: str, seconds: float) -> Iterator[Budget]:
    scripts = scripts_of("src/main.tsx")
    yield Budget("scripts of the front page, gzipped", 220_000, sum(map(gzipped, scripts)), "bytes")
    typed = keystrokes.typed(browser, url, seconds)
    cpu, wall = (max(times) for times in zip(*typed.tasks, strict=True))
    how = (
        f"of a processor {cpu:.0f}; {typed.keys} keys, one waited {max(typed.waits, default=0):.0f}"
    )
    yield Budget("longest task while one types beside a GPT that is compiled", 50, wall, "ms", how)
    took = sorted(_stood_ms(browser, typed.address.partition("#")[0]) for _ in range(FRESH))
    how = f"median of {FRESH} new browsers, {took[0]:.0f} to {took[-1]:.0f}; {typed.state}"
    yield Budget(
        "that GPT of twelve blocks, stored, stands", 1000, statistics.median(took), "ms", how
    )
    few, many = _kept(browser, url)
    how = f"{many / 1e6:.2f} MB of {few / 1e6:.2f}"
    yield Budget(f"kept after {MANY} runs over that after {FEW}", 1.2, many / few, "times", how)


def scripts_of(name: str) -> set[Path]:
    """The files of a source of the page and of what it imports, but for what it fetches later, as
    the last build wrote them."""
    manifest: dict[str, Any] = json.loads((build.OUTPUT / ".vite" / "manifest.json").read_text())
    met = [name]
    for each in met:
        met += [other for other in manifest[each].get("imports", []) if other not in met]
    return {build.OUTPUT / manifest[each]["file"] for each in met}


def gzipped(file: Path) -> int:
    """The bytes of a file of the build, as it was compressed with gzip."""
    return file.with_name(f"{file.name}.gz").stat().st_size


def _stood_ms(browser: Browser, address: str) -> float:
    """Asked when all is over: what drives the browser works in the page, too."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(f"({_NOTE})()")
    page.goto(address, wait_until="commit")
    page.wait_for_timeout(_SETTLED_MS)
    stood = float(page.evaluate("window.stood ?? NaN"))
    context.close()
    return stood


def _kept(browser: Browser, url: str) -> tuple[int, int]:
    """Bytes that the page's scripts keep after a few runs, and after many."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(url)
    page.get_by_role("checkbox", name="Measure").set_checked(False)
    cdp = context.new_cdp_session(page)
    found: list[int] = []
    for number in range(1, MANY + 1):
        _run(page, f"{_SMALL}# {time.time_ns()}\n")
        if number in (FEW, MANY):
            cdp.send("HeapProfiler.collectGarbage")
            found.append(heap.stored_bytes(cdp))
    context.close()
    few, many = found
    return few, many


def _run(page: Page, source: str) -> None:
    before = page.url
    page.get_by_role("textbox", name="Source").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(source)
    page.keyboard.press("ControlOrMeta+Enter")
    page.wait_for_url(lambda now: now != before and "/r/" in now, timeout=_END_MS)
    done = page.get_by_test_id("state").filter(has_text="done")
    done.wait_for(timeout=_END_MS)


def _said(value: float) -> str:
    value = float(value)
    return f"{value:,.0f}" if value > 10 or value.is_integer() else f"{value:.2f}"


if __name__ == "__main__":
    main()
