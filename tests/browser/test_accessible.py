"""axe finds nothing, in both themes and at both sizes; the keyboard reaches every pane."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from compiler_core import report
from compiler_core.report import Column, Row, Table
from tests.browser.axe import SIZES, sized, violations
from tests.browser.others import LANES, other, with_reasons
from tests.browser.steps import exercises, expect_state, pane, room, show
from tests.sweep_plugin import thinned

SHOWN = {
    "desk": ("Kernels", "Numerics", "Output", "C", "Captured"),
    "laptop": ("Memory", "Timings", "Fusion", "Reference", "PTX", "Mesh"),
    "phone": ("Stages", "IR", "Timings", "Numerics", "Kernels"),
    "zoomed": ("Stages", "Fusion", "Triton", "Why", "Memory", "Kernels"),
}


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(page: Page, measured: str, size: str) -> None:
    sized(page, size)
    page.goto("/")
    expect(page.get_by_role("textbox", name="Source")).to_contain_text("import")
    assert violations(page) == []
    page.goto(measured)
    expect_state(page, "done")
    assert violations(page) == []
    for title in SHOWN[size]:
        show(page, title)
        assert violations(page) == [], title


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_axe_finds_nothing_where_other_compilers_are_opened_up(
    page: Page, store: Callable[..., str], size: str
) -> None:
    sized(page, size)
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


def test_axe_finds_nothing_where_there_is_no_run(chromium: Browser, live_stack: str) -> None:
    context = chromium.new_context(base_url=live_stack, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"/r/{'a' * 40}")
    expect(page.get_by_role("heading")).to_contain_text("There is no run")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
    context.close()


def test_f6_goes_round_the_panes(page: Page) -> None:
    page.goto("/")
    page.get_by_role("textbox", name="Source").focus()
    met = []
    for _ in range(5):
        page.keyboard.press("F6")
        met.append(page.evaluate("document.activeElement.closest('[data-pane]')?.dataset.pane"))
    assert len(set(met)) == len(met)
    assert met[-1] == "source"


def test_f6_goes_to_what_a_workshop_has_beside_the_panes(lena: Page) -> None:
    room(lena).get_by_role("button", name="Exercises").click()
    # Its code is fetched when it is first drawn.
    expect(exercises(lena)).to_be_visible()
    met = []
    for _ in range(8):
        lena.keyboard.press("F6")
        met.append(lena.evaluate("document.activeElement.closest('section')?.ariaLabel"))
    assert {"Workshop", "Exercises"} <= set(met)


def test_who_comes_into_a_workshop_goes_on_at_its_title_by_keyboard(page: Page) -> None:
    page.goto("/w/")
    page.get_by_label("Title").fill("By keys")
    page.keyboard.press("Enter")
    expect(room(page).get_by_text("By keys", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.workshop-room') !== null")


def test_a_letter_is_a_key_where_a_box_is_ticked(page: Page, compiled: str) -> None:
    page.goto(compiled)
    expect_state(page, "done")
    show(page, "Kernels")
    pane(page, "stages").get_by_role("checkbox", name="Hide unchanged").focus()
    page.keyboard.press("w")
    expect(pane(page, "why")).to_be_visible()


def test_shortcuts_are_listed(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Run")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
