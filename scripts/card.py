"""Draws `webapp/static/card.png`, which chats show beside a link whose run has no picture of its
own: `python scripts/card.py`."""

from pathlib import Path

from playwright.sync_api import sync_playwright

from scripts import chromium

CARD = Path(__file__).resolve().parent.parent / "webapp" / "static" / "card.png"
# What networks ask for.
WIDTH, HEIGHT = 1200, 630

PAGE = """<!doctype html><style>
  body { margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 96px;
         font-family: Inter, "DejaVu Sans", sans-serif; background: #fff; color: #1c1f26;
         border-left: 24px solid #5746c9; display: flex; flex-direction: column;
         justify-content: center; gap: 40px; }
  h1 { margin: 0; font-size: 88px; display: flex; align-items: center; gap: 32px; }
  p { margin: 0; font-size: 40px; line-height: 56px; color: #4a5060; }
  svg { width: 120px; fill: #fff; stroke: #1c1f26; stroke-width: 1; }
  .fused { fill: #5746c9; stroke: #5746c9; } .wire { fill: none; }
</style>
<h1><svg viewBox="0 0 16 16"><path d="M1.5 2.5h4v3h-4zM1.5 10.5h4v3h-4z"/>
<path class="fused" d="M10 4.5h4.5v7H10z"/><path class="wire" d="M5.5 4h2v8h-2M7.5 8H10"/></svg>
Fuselab</h1>
<p>What a compiler makes of PyTorch and JAX:<br>every IR, what was fused and why not,
the generated code, and timings.</p>"""


def main() -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_content(PAGE)
        page.screenshot(path=CARD)
        browser.close()


if __name__ == "__main__":
    main()
