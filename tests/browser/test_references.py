"""The other compilers: what they were not given, and why, stands where their results would."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from compiler_core import report
from tests.browser.steps import pane, show
from tests.several_graphs import whole

WHY = "XLA did not run: XLA cannot run torch's aten._linalg_eigh.default here, in piece 2 of 2"


@pytest.fixture(scope="module")
def address(store: Callable[[bytes], str]) -> str:
    found = whole()
    summary = WHY.partition(": ")[2]
    left = report.Stage("xla", "skipped", 0.1, kind="reference", summary=summary)
    found.programs[0].stages.append(left)
    return store(report.encode_report(found))


@pytest.mark.parametrize(("title", "name"), [("Reference", "reference"), ("Timings", "timings")])
def test_a_compiler_that_did_not_run_says_why(
    page: Page, address: str, title: str, name: str
) -> None:
    page.goto(address)
    show(page, title)
    expect(pane(page, name)).to_contain_text(WHY)
