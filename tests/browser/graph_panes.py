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


def draw(graph: Locator, choice: str, on: bool) -> None:
    """Whether something is drawn in the fusion graph, which a narrow pane has under More."""
    asked = graph.get_by_role("button", name="More of the graph's tools")
    if asked.is_visible() and asked.get_attribute("aria-expanded") == "false":
        asked.click()
    graph.get_by_label(choice).set_checked(on)


def kernels(page: Page) -> Locator:
    return pane(page, "kernels").locator("tbody tr:not(.section, .details)")
