"""Makes docs/screenshot.png: a gallery example on a Fuselab that runs, as a visitor sees it.

`python frontend/screenshot.py [http://127.0.0.1:8000]`
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "screenshot.png"
EXAMPLE = "A training step: forward, backward, and the optimizer"
RUN_MS = 120_000

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts import chromium  # noqa: E402  the root joins the path above


def take(page: Page, url: str) -> None:
    """Runs the example, measured against Inductor, and lights up a line of one of its kernels."""
    page.goto(url)
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("dialog").locator(".example", has_text=EXAMPLE).dblclick()
    page.get_by_role("button", name=f"Dismiss: {EXAMPLE}").click()
    page.locator(".more-options > summary").click()
    compilers = page.get_by_role("group", name="Compilers")
    compilers.get_by_label("TorchInductor", exact=True).check()
    page.locator(".more-options > summary").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_test_id("state")).to_have_text("done", timeout=RUN_MS)
    page.locator('[data-pane="triton"] .cm-line', has_text="def k").first.click(
        position={"x": 80, "y": 8}
    )
    page.screenshot(path=PICTURE)


def main(arguments: list[str]) -> int:
    found = chromium.find()
    if not found:
        print(chromium.problem(), file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        take(page, arguments[0] if arguments else "http://127.0.0.1:8000")
        browser.close()
    print(f"wrote {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
