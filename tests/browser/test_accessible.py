"""axe finds nothing, in both themes and at both sizes; the keyboard reaches every pane."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from compiler_core import report
from compiler_core.report import Column, Row, Table
from tests.browser.others import LANES, other, with_reasons
from tests.browser.steps import GELU, expect_state, run, show

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# axe fails on an element that is taken away while it looks: it waits until none came or went.
AXE_ON_A_STILL_PAGE = """async rules => {
    await new Promise(still => {
        const observer = new MutationObserver(() => { clearTimeout(timer); timer = later() })
        const later = () => setTimeout(() => { observer.disconnect(); still() }, 200)
        let timer = later()
        observer.observe(document, {childList: true, subtree: true})
    })
    return (await axe.run({runOnly: {type: 'tag', values: rules}})).violations
}"""
SIZES = {"desk": (1440, 900), "phone": (390, 844)}
SHOWN = {
    "desk": ("Kernels", "Numerics", "Output", "C", "Captured"),
    "phone": ("Stages", "IR", "Timings", "Numerics", "Kernels"),
}


def violations(page: Page) -> list[str]:
    # evaluate, not a script element: the page's policy allows none that is not its own.
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(AXE_ON_A_STILL_PAGE, RULES)
    return [
        f"{violation['id']}: {node['html'][:200]} ({node['failureSummary'][:300]})"
        for violation in found
        for node in violation["nodes"]
    ]


@pytest.fixture(scope="module")
def result(chromium: Browser, live_stack: str) -> str:
    """The address of a run with timings."""
    page = chromium.new_page(base_url=live_stack)
    run(page, GELU, measured=True)
    address = page.url
    page.close()
    return address


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_axe_finds_nothing(
    chromium: Browser, live_stack: str, result: str, size: str, scheme: Literal["light", "dark"]
) -> None:
    width, height = SIZES[size]
    page = chromium.new_page(
        base_url=live_stack, viewport={"width": width, "height": height}, color_scheme=scheme
    )
    page.goto("/")
    expect(page.get_by_role("textbox", name="Source")).to_contain_text("import")
    assert violations(page) == []
    page.goto(result)
    expect_state(page, "done")
    assert violations(page) == []
    for title in SHOWN[size]:
        show(page, title)
        assert violations(page) == [], title
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_axe_finds_nothing_where_other_compilers_are_opened_up(
    chromium: Browser,
    live_stack: str,
    store: Callable[..., str],
    size: str,
    scheme: Literal["light", "dark"],
) -> None:
    width, height = SIZES[size]
    page = chromium.new_page(
        base_url=live_stack, viewport={"width": width, "height": height}, color_scheme=scheme
    )
    rows = [Row([f"add.{i}", i], [i % 2], 5) for i in range(500)]
    table = Table("instructions", [Column("Name"), Column("Size", "bytes")], rows)
    whole = with_reasons(other("buffers", tables=[table]))
    whole.programs[0].timelines = LANES
    page.goto(f"{store(report.encode_report(whole))}#stage=3&nodes=0")
    expect_state(page, "done")
    for title in ("Stages", "IR", "Reference", "Tables", "Agreement", "Timeline", "Why"):
        show(page, title)
        assert violations(page) == [], title
    page.get_by_role("button", name="Show the change").first.click()
    assert violations(page) == []
    page.close()


def test_f6_goes_round_the_panes(page: Page) -> None:
    page.goto("/")
    page.get_by_role("textbox", name="Source").focus()
    met = []
    for _ in range(5):
        page.keyboard.press("F6")
        met.append(page.evaluate("document.activeElement.closest('[data-pane]')?.dataset.pane"))
    assert len(set(met)) == len(met)
    assert met[-1] == "source"


def test_shortcuts_are_listed(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Run")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
