"""Where the page shows a program's graphs, and what belongs to the chosen one."""

from playwright.sync_api import Locator, Page

from tests.browser.steps import pane


def graphs(page: Page) -> Locator:
    return page.get_by_role("list", name="Graphs")


def graph(page: Page, name: str) -> Locator:
    """Its button; that of the Python between may have the same words."""
    return graphs(page).locator("button.graph", has_text=name)


def stages(page: Page) -> Locator:
    return page.get_by_role("tree", name="Stages").get_by_role("treeitem")


def kernels(page: Page) -> Locator:
    return pane(page, "kernels").locator("tbody tr:not(.section, .details)")
