"""The deck as a page shows it, and turning it."""

from playwright.sync_api import Locator, Page

WHY = "why-not-faster"
COURSE = "Why is my compiled model not faster?"
# What the server has of a room and a seat, as whoever comes in finds it.
AT_FIRST = """async ([path, wanted]) => {
    const headers = {"Content-Type": "application/json"}
    const body = JSON.stringify(wanted)
    await fetch(`/api/v1/workshops/${path}`, {method: "PATCH", headers, body})
}"""


def deck(page: Page) -> Locator:
    return page.get_by_label("Deck", exact=True)


def heading(page: Page, name: str) -> Locator:
    return deck(page).get_by_role("heading", name=name)


def turn(page: Page, to: str, times: int = 1) -> None:
    for _ in range(times):
        with page.expect_response(lambda answer: answer.url.endswith("/deck")):
            deck(page).get_by_role("button", name=f"{to} page").click()
