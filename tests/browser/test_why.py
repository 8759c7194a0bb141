"""The why-list: what compilers did otherwise, with lines, reasons, costs and what to do."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from tests.browser.others import TRIAL, opened_up, with_reasons
from tests.browser.steps import RUN_MS, expect_state, go, lit, new, pane, run, show

BROKEN = """import torch

@torch.compile
def f(x):
    scale = x.abs().max().item()
    return x / scale

f(torch.randn(64, 64))
"""


@pytest.fixture(scope="module")
def address(store: Callable[..., str]) -> str:
    return store(report.encode_report(with_reasons()))


@pytest.fixture
def why(page: Page, address: str) -> Locator:
    page.goto(address)
    return opened(page)


@pytest.fixture
def read(kept_page: Page, address: str) -> Locator:
    """The same on a page that others have looked at, on which panes stand as these left them: for
    whoever changes nothing."""
    go(kept_page, address)
    expect_state(kept_page, "done")
    show(kept_page, "Why")
    return pane(kept_page, "why")


def opened(page: Page) -> Locator:
    expect_state(page, "done")
    return pane(page, "why")


def test_it_is_the_first_tab_and_says_how_many_reasons(kept_page: Page, read: Locator) -> None:
    expect(kept_page.get_by_role("tab", name="Why 4")).to_be_visible()
    headings = read.get_by_role("heading")
    expect(headings).to_have_text(
        [
            "All remedies together",
            # What has a change to take over comes first.
            "Compiled again (1)",
            "Graph breaks (1)",
            # Of unknown cost, what is no more than memory's comes last.
            "Copies into another layout (1)",
            "Not fused (5)",
        ]
    )


def test_how_many_is_read_aloud_where_the_panes_are_arranged_anew(page: Page, why: Locator) -> None:
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_role("button", name="Reset the layout").click()
    tab = page.locator("[data-tab-panel-id=why]")
    expect(tab).to_have_text("Why 4")
    expect(tab).to_have_accessible_name("Why 4")


def test_a_reason_has_its_cost_its_remedy_and_the_compilers_own_words(read: Locator) -> None:
    again = read.get_by_role("region", name="Compiled again")
    for text in ("XLA", "120\u00a0ms of compiling", "was 4 and is 8", "Give the size a name"):
        expect(again).to_contain_text(text)
    again.get_by_text("The compiler's own words").click()
    expect(again.locator("pre")).to_be_visible()


def test_entries_of_one_reason_are_one_and_the_first_few_are_shown(read: Locator) -> None:
    unfused = read.get_by_role("region", name="Not fused")
    expect(unfused.locator(".reason-card")).to_have_count(1)
    # They say the same of other values: it is said once.
    expect(unfused.locator(".happened > li")).to_have_text("%0 add → %1 mul × 5 each of them")
    unfused.get_by_role("button", name="each of them").click()
    expect(unfused).to_contain_text("%4 add → %5 mul")
    unfused.get_by_role("button", name="only the first").click()
    expect(unfused).not_to_contain_text("%4 add → %5 mul")


def test_it_is_filtered_by_compiler_and_by_kind(read: Locator) -> None:
    read.get_by_label("Compiler").select_option(label="core")
    expect(read.get_by_role("heading")).to_have_text(["Not fused (5)"])
    read.get_by_label("Compiler").select_option(label="XLA")
    read.get_by_label("Kind").select_option(label="Compiled again")
    expect(read.locator(".reason-card")).to_have_count(1)


def test_an_entry_lights_up_what_it_speaks_of_and_its_line_is_a_way_there(
    kept_page: Page, read: Locator
) -> None:
    read.get_by_role("button", name="copy.1 transposes y").click()
    expect(lit(kept_page, "source")).to_have_text(["    y = x + b"])
    read.get_by_role("region", name="Not fused").get_by_role("button", name="Line 6").click()
    expect(lit(kept_page, "source")).to_have_text(["    return y * y"])


def test_a_mark_beside_a_line_asks_why(kept_page: Page, read: Locator) -> None:
    kept_page.get_by_role("tab", name="Kernels").click()
    mark = kept_page.get_by_title("Why? Graph breaks, Copies into another layout")
    mark.click()
    expect(read.locator(".reason-card.asked")).to_have_count(2)
    expect(read.locator(".reason-card.asked").first).to_be_in_viewport()


def test_a_remedy_that_was_tried_is_shown_and_taken_over(page: Page, why: Locator) -> None:
    again = why.get_by_role("region", name="Compiled again")
    expect(again).to_contain_text("Tried: 1.50× as fast, 2 compilations become 1")
    expect(again).to_contain_text("300\u00a0µs → 200\u00a0µs, 1.50× (1.40× to 1.60×), faster")
    again.get_by_role("button", name="Show the change").click()
    expect(again.locator(".cm-came")).to_have_text("    return y**2")
    again.get_by_role("button", name="Use it").click()
    expect(pane(page, "source").locator(".cm-content")).to_contain_text("return y**2")
    expect(page.locator(".cm-why-mark")).to_have_count(0)


def test_a_failure_leads_to_the_change_that_runs(page: Page, store: Callable[..., str]) -> None:
    error = report.Failure("capture", "y is no number", 5)
    found = report.Finding("failed", "jax", "y is no number", line=5, trial=TRIAL)
    page.goto(store(report.encode_report(opened_up(error=error, findings=[found]))))
    page.get_by_role("tab", name="Output").click()
    page.get_by_role("button", name="See the change that runs").click()
    expect(pane(page, "why").locator(".reason-card.asked")).to_contain_text("Tried: 1.50× as fast")


def test_where_nothing_is_told_and_the_core_is_slower_that_is_said(
    page: Page, store: Callable[..., str]
) -> None:
    slower = report.Timing(9, 9, 9, 9, speedup=0.5, verdict="slower")
    page.goto(store(report.encode_report(opened_up(timings={"core": slower}))))
    expect(pane(page, "why")).to_contain_text("No compiler gives a reason, yet the core is slower")


def test_a_remedy_that_there_was_no_time_for_is_tried_for_who_asks(
    page: Page, store: Callable[..., str]
) -> None:
    left = report.Trial("", summary="a print is left out, which was not tried", left_out=True)
    found = report.Finding("host sync", "jax", "y is printed", line=5, trial=left)
    page.goto(store(report.encode_report(opened_up(findings=[found]))))
    page.get_by_role("tab", name="Why").click()
    expect(pane(page, "why").locator(".trial")).to_contain_text("a print is left out")
    with page.expect_request(lambda request: request.method == "POST") as asked:
        pane(page, "why").get_by_role("button", name="Try it now").click()
    options = asked.value.post_data_json["options"]
    assert (options["trials"], options["trials_first"]) == (True, [5])


def test_all_remedies_together_are_one_click_away(page: Page, why: Locator) -> None:
    both = why.get_by_role("region", name="All remedies together")
    expect(both).to_contain_text("2.00× as fast, 2 changes together")
    both.get_by_role("button", name="Use it").click()
    expect(pane(page, "source").locator(".cm-content")).to_contain_text("return y**3")


def test_remedies_are_tried_for_who_asks(page: Page) -> None:
    run(page, new(BROKEN))
    page.get_by_role("tab", name="Why").click()
    page.get_by_role("button", name="Try the remedies").click()
    tried = pane(page, "why").get_by_role("button", name="Use it")
    expect(tried).to_be_visible(timeout=RUN_MS)
    expect_state(page, "done")
    expect(pane(page, "why").locator(".trial")).to_contain_text("1 graph break becomes 0")
    tried.click()
    content = pane(page, "source").locator(".cm-content")
    expect(content).to_contain_text("scale = x.abs().max()")
    expect(content).not_to_contain_text(".item()")
