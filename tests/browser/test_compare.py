"""Two runs beside each other at one link."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import GELU, new, pane, run


@pytest.fixture(scope="module")
def runs() -> dict[str, str]:
    """The ids of two runs of which the second has another activation, once they are made."""
    return {}


def made(page: Page, runs: dict[str, str]) -> str:
    """The link that compares the two."""
    if not runs:
        source = new(GELU)
        run(page, source)
        runs["a"] = id_of(page)
        page.get_by_role("button", name="Pin as A").click()
        run(page, source.replace("F.gelu", "F.relu"), measured=True)
        runs["b"] = id_of(page)
    return f"/c/{runs['a']}...{runs['b']}"


def id_of(page: Page) -> str:
    return page.url.partition("/r/")[2].partition("#")[0]


def opened(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def test_a_pinned_run_is_compared_with_the_next(page: Page, runs: dict[str, str]) -> None:
    link = made(page, runs)
    page.get_by_role("link", name="Compare with A").click()
    expect(page).to_have_url(re.compile(re.escape(link)))
    rows = pane(page, "differences").get_by_role("row")
    expect(rows.filter(has_text="option measure")).to_contain_text("False")
    figures = rows.filter(has=page.get_by_role("rowheader", name="after passes"))
    expect(figures).to_have_class("differs")
    expect(rows.filter(has=page.get_by_role("rowheader", name="core", exact=True))).to_be_visible()


def test_the_texts_of_both_are_one_difference(page: Page, runs: dict[str, str]) -> None:
    page.goto(made(page, runs))
    opened(page, "Texts")
    texts = pane(page, "texts")
    expect(texts.locator(".cm-gone")).to_have_text("    return F.gelu(y)")
    expect(texts.locator(".cm-came")).to_have_text("    return F.relu(y)")
    choose = texts.get_by_label("Which text")
    triton = choose.locator("option").filter(has_text="triton").first
    choose.select_option(triton.get_attribute("value"))
    expect(texts.locator(".cm-gone").filter(has_text="erf").first).to_be_visible()


def test_every_other_pane_is_there_twice(page: Page, runs: dict[str, str]) -> None:
    page.goto(made(page, runs))
    for name in ("Kernels", "Stages", "Fusion", "Why"):
        opened(page, name)
        sides = page.locator(".compare-side")
        expect(sides).to_have_count(2)
        for side in sides.all():
            expect(side.locator(".pane").first).to_be_visible()


def test_another_run_takes_a_side_by_its_link(page: Page, runs: dict[str, str]) -> None:
    page.goto(made(page, runs))
    put = page.get_by_label("Another run as B: its link")
    put.fill("what is this")
    put.blur()
    expect(put).to_have_attribute("aria-invalid", "true")
    put.fill(f"https://elsewhere.test/r/{runs['a']}#stage=1")
    put.blur()
    expect(page).to_have_url(re.compile(re.escape(f"{runs['a']}...{runs['a']}")))
    expect(pane(page, "differences")).to_contain_text("The same.")


def test_it_has_room_on_a_phone(page: Page, runs: dict[str, str]) -> None:
    link = made(page, runs)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(link)
    expect(pane(page, "differences")).to_contain_text("after passes")
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
