"""Texts are fetched when a pane looks at them; what the server sends is compressed."""

from playwright.sync_api import Page, Request, Route, expect

from tests.browser.steps import GELU, expect_state, new, pane, run, show


def is_text(request: Request) -> bool:
    return "/texts/" in request.url


def content(page: Page, name: str):
    return pane(page, name).locator(".cm-content").first


def test_a_stored_run_opens_without_its_texts(page: Page) -> None:
    run(page, new(GELU))
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108  Playwright marks it
    page.reload()
    expect_state(page, "done")
    expect(content(page, "ir")).to_contain_text("erf")
    at_first = {request.url for request in asked if is_text(request)}
    show(page, "Loops")
    expect(content(page, "loops")).to_contain_text("erf")
    later = {request.url for request in asked if is_text(request)} - at_first
    assert len(later) == 1, at_first
    show(page, "IR")
    show(page, "Loops")
    expect(content(page, "loops")).to_contain_text("erf")
    assert len([request for request in asked if request.url in later]) == 1
    compressed = [
        request.response().header_value("content-encoding")
        for request in asked
        if is_text(request) or request.resource_type in ("script", "stylesheet")
    ]
    assert len(compressed) > 3
    assert set(compressed) <= {"gzip", "br"}


def test_a_text_that_cannot_be_had_says_so_and_is_asked_for_again(page: Page) -> None:
    run(page, new(GELU))
    away = {"now": True}

    def answer(route: Route) -> None:
        sentence = '{"error": {"message": "The database cannot be reached.", "remedy": "Wait."}}'
        if away["now"]:
            # As the real server would say it, but for the status, which the console would report.
            route.fulfill(status=422, body=sentence, content_type="application/json")
        else:
            route.continue_()

    page.route("**/texts/*", answer)
    page.reload()
    alert = pane(page, "ir").get_by_role("alert")
    expect(alert).to_contain_text("The database cannot be reached. Wait.")
    away["now"] = False
    alert.get_by_role("button", name="Try again").click()
    expect(content(page, "ir")).to_contain_text("erf")
    expect(alert).to_have_count(0)
