"""A link opens what its sender saw; a run can be stopped; a dropped line loses nothing."""

import json
from typing import Any

from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.browser.steps import GELU, expect_state, lit, measure, new, pane, run, show, write

ENDLESS = "import time\n\nwhile True:\n    time.sleep(0.1)\n"
# Messages that pass before the line is cut.
CUT_AFTER = 3


def test_shared_link_opens_the_same(page: Page, chromium: Browser, live_stack: str) -> None:
    run(page, GELU)
    pane(page, "source").locator(".cm-line", has_text="x + b").click()
    show(page, "IR")
    expect(lit(page, "ir").first).to_be_visible()
    shown = pane(page, "ir").locator(".cm-content").inner_text()
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy: Link").click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{live_stack}/r/")

    stranger = chromium.new_context(viewport={"width": 1440, "height": 900})
    theirs = stranger.new_page()
    theirs.goto(link)
    expect_state(theirs, "done")
    expect(theirs.get_by_role("textbox", name="Source")).to_contain_text("return F.gelu(y)")
    expect(theirs.get_by_label("Measure")).not_to_be_checked()
    expect(lit(theirs, "source")).to_have_text(["    y = x + b"])
    assert pane(theirs, "ir").locator(".cm-content").inner_text() == shown
    stranger.close()


def test_run_can_be_cancelled(page: Page) -> None:
    page.goto("/")
    write(page, ENDLESS)
    page.get_by_role("button", name="Run", exact=True).click()
    expect_state(page, "running")
    page.get_by_role("button", name="Cancel").click()
    expect_state(page, "cancelled")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()


def test_dropped_connection_goes_on_where_it_was(page: Page) -> None:
    opened: list[str] = []
    seen: list[int] = []

    def cut(socket: WebSocketRoute) -> None:
        opened.append(socket.url)
        server = socket.connect_to_server()
        first = len(opened) == 1

        def passed(message: str | bytes) -> None:
            frame: dict[str, Any] = json.loads(message)
            if first and len(seen) >= CUT_AFTER:
                socket.close(code=1011)
                return
            if "event" in frame:
                seen.append(frame["seq"])
            socket.send(message)

        server.on_message(passed)

    page.route_web_socket("**/ws/runs/**", cut)
    page.goto("/")
    write(page, new(GELU))
    measure(page, False)
    page.get_by_role("button", name="Run", exact=True).click()
    expect_state(page, "done")
    assert len(opened) >= 2
    assert opened[1].endswith(f"after={CUT_AFTER}")
    assert seen == list(range(1, len(seen) + 1)), "every event once and in order"
    run_id = page.url.partition("/r/")[2].partition("#")[0]
    stored = page.request.get(f"/api/v1/runs/{run_id}").json()["report"]["programs"][0]["stages"]
    rows = page.get_by_role("tree", name="Stages").get_by_role("treeitem")
    expect(rows).to_have_count(len(stored))


def test_identical_run_is_opened_and_run_again_on_request(page: Page) -> None:
    source = new(GELU)
    run(page, source)
    first = page.url
    run(page, source)
    assert page.url == first
    expect(page.get_by_text("This very run was made before")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page).not_to_have_url(first)
    expect_state(page, "done")


def test_run_is_asked_for_where_no_socket_can_be_had(page: Page) -> None:
    page.add_init_script(
        """window.WebSocket = class {
             constructor() { setTimeout(() => this.onclose({ code: 1006 })); }
             close() {}
           };"""
    )
    run(page, new(GELU))
    rows = page.get_by_role("tree", name="Stages").get_by_role("treeitem")
    expect(rows.first).to_contain_text("capture")
