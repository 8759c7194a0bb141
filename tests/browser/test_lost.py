"""The line to a run is cut and comes back; its clock is the server's."""

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.sockets import Sockets
from tests.browser.steps import expect_state, pane, show, write

ENDLESS = "import time\n\nwhile True:\n    time.sleep(0.1)\n# {}\n"


def begin(page: Page, name: str) -> None:
    page.goto("/")
    write(page, ENDLESS.format(name))
    page.get_by_role("button", name="Run", exact=True).click()
    expect_state(page, "running")


def seconds(page: Page) -> float:
    return float(page.locator(".status .number").inner_text().removesuffix("s").strip())


def wait_for_seconds(page: Page, over: float) -> None:
    """Until the clock shows more; the page's policy lets no text be evaluated in it."""
    for _ in range(600):
        if seconds(page) > over:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"the clock stands at {seconds(page)}")


def test_a_lost_line_is_announced_and_the_clock_stands_until_it_is_back(page: Page) -> None:
    events = Sockets(page, "**/ws/runs/**")
    begin(page, "lost")
    told = page.get_by_role("status", name="Connection")
    with events.cut():
        expect(told).to_contain_text("connection is lost")
        stood = seconds(page)
        page.wait_for_timeout(300)
        assert seconds(page) == stood
    expect(page.get_by_text("Connected again")).to_be_visible()
    expect(told).to_be_empty()
    wait_for_seconds(page, stood + 0.7)
    page.get_by_role("button", name="Cancel").click()


def test_the_clock_of_a_run_outlives_a_reload_and_says_at_last_what_the_server_does(
    page: Page,
) -> None:
    begin(page, "reloaded")
    wait_for_seconds(page, 2)
    page.reload()
    expect_state(page, "running")
    assert seconds(page) > 2
    page.get_by_role("button", name="Cancel").click()
    expect_state(page, "cancelled")
    path = page.url.partition("/r/")[2].partition("#")[0]
    took = page.request.get(f"/api/v1/runs/{path}").json()
    said = page.locator(".status .doing")
    expect(said).to_have_text(f"in {took['seconds']:.1f} s")
    page.reload()
    expect(said).to_have_text(f"in {took['seconds']:.1f} s")


def test_a_cancelled_run_says_so_in_every_pane(page: Page) -> None:
    begin(page, "cancelled")
    page.get_by_role("button", name="Cancel").click()
    expect_state(page, "cancelled")
    for title in ("IR", "Kernels", "Timings"):
        show(page, title)
        expect(pane(page, title.lower())).to_contain_text("The run was cancelled")
    expect(page.get_by_text("No program was found")).to_have_count(0)


def test_a_run_that_the_server_does_not_give_is_waited_for_and_asked_for_again(
    chromium: Browser, live_stack: str, compiled: str
) -> None:
    # Chromium complains of an answer that refuses.
    context = chromium.new_context(base_url=live_stack, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    asked: list[Route] = []

    def hold_the_first(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    page.route("**/api/v1/runs/*?texts=none", hold_the_first)
    page.goto(compiled)
    expect(page.get_by_role("status").first).to_have_text("Waiting for the server")
    [held] = asked
    refusal = {"message": "The database does not answer.", "remedy": "Try again in a moment."}
    with page.expect_request("**/api/v1/runs/*?texts=none"):
        held.fulfill(status=503, json={"error": refusal})
        expect(pane(page, "source").get_by_role("alert")).to_contain_text("does not answer")
    expect_state(page, "done")
    expect(pane(page, "source").get_by_role("alert")).to_have_count(0)
    context.close()
