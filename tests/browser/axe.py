"""What axe finds on a page, in both colour schemes."""

from pathlib import Path

from playwright.sync_api import Page

_AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
_ALL = {
    "type": "tag",
    "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
# The schemes differ in colours alone: what is there, and where, is looked at once.
_OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
# axe fails on an element that is taken away while it looks: it waits until none came or went.
_STILL = """() => new Promise(still => {
    const observer = new MutationObserver(() => { clearTimeout(timer); timer = later() })
    const later = () => setTimeout(() => { observer.disconnect(); still() }, 200)
    let timer = later()
    observer.observe(document, {childList: true, subtree: true})
})"""
_RUN = """async only =>
    (await axe.run({runOnly: only, resultTypes: ['violations']})).violations"""
_BACKGROUND = "getComputedStyle(document.body).backgroundColor"
# As a desk has it, a laptop, a phone, and the laptop at 200 %.
SIZES = {"desk": (1440, 900), "laptop": (1280, 720), "phone": (390, 844), "zoomed": (640, 360)}
DESKS = ("desk", "laptop")


def sized(page: Page, size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})


def violations(page: Page) -> list[str]:
    # evaluate, not a script element: the page's policy allows none that is not its own.
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    page.evaluate(_STILL)
    light, found = page.evaluate(_BACKGROUND), _found(page, _ALL)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(_BACKGROUND) != light
    found += _found(page, _OF_COLOURS)
    page.emulate_media(color_scheme="light")
    return found


def _found(page: Page, rules: dict[str, object]) -> list[str]:
    return [
        f"{violation['id']}: {node['html'][:200]} ({node['failureSummary'][:300]})"
        for violation in page.evaluate(_RUN, rules)
        for node in violation["nodes"]
    ]
