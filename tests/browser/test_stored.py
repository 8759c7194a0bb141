"""A run that was stored by an earlier version opens on the page as it did then."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import expect_state, lit, pane, show

STORED = Path(__file__).parents[1] / "compiler_core" / "report" / "stored"


@pytest.mark.parametrize("path", sorted(STORED.glob("*.json")), ids=lambda path: path.name)
def test_stored_report_opens(page: Page, store: Callable[..., str], path: Path) -> None:
    page.goto(store(path.read_bytes()))
    expect_state(page, "done")
    looks_as_it_did(page)


@pytest.mark.parametrize("path", sorted(STORED.glob("*.jsonl")), ids=lambda path: path.name)
def test_a_run_that_an_earlier_version_began_goes_on(
    page: Page, store: Callable[..., str], path: Path
) -> None:
    page.goto(store(path.read_bytes(), "events"))
    expect_state(page, "running")
    looks_as_it_did(page)


def looks_as_it_did(page: Page) -> None:
    expect(page.get_by_role("group", name="Programs")).to_contain_text("bias_gelu")
    expect(page.get_by_role("list", name="Graphs")).to_have_count(0)
    stages = page.get_by_role("tree", name="Stages")
    expect(stages.get_by_role("treeitem")).to_have_count(14)
    expect(stages.get_by_role("group")).to_have_count(0)
    pane(page, "source").locator(".cm-line", has_text="F.softmax").click()
    for title, name in (("IR", "ir"), ("Triton", "triton"), ("C", "c"), ("PTX", "assembly")):
        show(page, title)
        expect(lit(page, name).first).to_be_visible()
    show(page, "Kernels")
    expect(pane(page, "kernels").locator("tbody tr:not(.section)")).to_have_count(1)
    expect(pane(page, "kernels").get_by_role("group", name="Plan")).to_have_count(0)
    expect(pane(page, "kernels").get_by_role("columnheader", name="Schedule")).to_have_count(0)
    show(page, "Memory")
    expect(pane(page, "memory").get_by_role("table")).to_have_count(1)
    show(page, "Timings")
    expect(pane(page, "timings").get_by_role("table")).to_be_visible()
