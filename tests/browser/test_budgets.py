"""What the page may cost, in the files that the build wrote and in a browser that opens them."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Response, Route, expect

from bench.budgets import gzipped, scripts_of
from frontend import build
from tests.browser.steps import lit, pane, run, show, write

MOST_SCRIPT = 220_000
# Bytes below which compressing is more than it saves.
WORTH_IT = 1000
# What the page fetches once it stands: for the editor, and to show the example.
UNASKED = (
    "text/equipment.ts",
    "store/front.ts",
    "panes/Note.tsx",
    "panes/StagesTree.tsx",
    "panes/IrText.tsx",
    "panes/TextView.tsx",
    "panes/TimingsPane.tsx",
    "shell/VerdictStrip.tsx",
    "shell/Trail.tsx",
)
STATIC = build.OUTPUT.parent


@pytest.fixture
def fresh(chromium: Browser, live_stack: str) -> Iterator[Page]:
    """A page of a browser that has loaded nothing yet."""
    context = chromium.new_context(base_url=live_stack, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def loaded(page: Page) -> list[Response]:
    """What comes with the front page until its example stands and nothing more is asked for, and
    nothing was chosen on it."""
    came: list[Response] = []
    page.on("response", lambda got: came.append(got))  # noqa: PLW0108  Playwright marks it
    page.goto("/")
    expect(page.get_by_role("textbox", name="Source")).to_contain_text("import")
    for part in (
        page.get_by_role("tree"),
        page.get_by_role("region", name="Verdict"),
        page.get_by_role("navigation", name="What is selected"),
        page.locator(".callout").first,
        pane(page, "timings").locator("svg").first,
        lit(page, "triton").first,
    ):
        expect(part).to_be_visible()
    page.wait_for_load_state("networkidle")
    return came


def file_of(response: Response) -> Path:
    return STATIC / urlsplit(response.url).path.removeprefix("/static/")


def test_the_scripts_of_the_front_page_are_within_their_budget(fresh: Page) -> None:
    """Counted is what the page needs to be seen and written in: the script that its HTML names,
    with what that imports. Of what comes after it unasked nothing is another run's or a person's to
    ask for: the editor's colours, and the parts that show the example."""
    came = loaded(fresh)
    scripts = {file_of(each) for each in came if each.request.resource_type == "script"}
    needed = scripts_of("src/main.tsx")
    after = set.union(*(scripts_of(f"src/{name}") for name in UNASKED))
    sizes = {file.name: gzipped(file) for file in needed}
    assert sum(sizes.values()) <= MOST_SCRIPT, sizes
    assert scripts == needed | after


def test_what_the_front_page_asks_for_comes_compressed(fresh: Page) -> None:
    texts = ("document", "script", "stylesheet", "fetch")
    came = [
        each
        for each in loaded(fresh)
        if each.request.resource_type in texts and len(each.body()) > WORTH_IT
    ]
    assert {each.request.resource_type for each in came} == set(texts)
    encodings = {each.url: each.header_value("content-encoding") for each in came}
    assert set(encodings.values()) <= {"br", "gzip"}, encodings


def test_the_editor_is_written_in_before_its_colours_are_there_and_does_not_move(
    fresh: Page,
) -> None:
    away = {"now": True}

    def answer(route: Route) -> None:
        route.abort() if away["now"] else route.continue_()

    fresh.route("**/equipment-*.js*", answer)
    fresh.goto("/")
    alert = pane(fresh, "source").get_by_role("alert")
    expect(alert).to_contain_text("The page could not fetch the colours")
    write(fresh, "import torch\n")
    line = pane(fresh, "source").locator(".cm-line").first
    before = line.bounding_box()
    away["now"] = False
    alert.get_by_role("button", name="Retry").click()
    expect(alert).to_have_count(0)
    expect(line.locator("span").first).to_be_visible()
    after = line.bounding_box()
    assert before and after
    assert (before["x"], before["width"]) == (after["x"], after["width"])


def test_a_part_of_the_page_that_cannot_be_fetched_says_so_and_is_fetched_on_retry(
    fresh: Page, compiled: str
) -> None:
    away = {"now": True}

    def answer(route: Route) -> None:
        route.abort() if away["now"] else route.continue_()

    for part in ("TextView", "FusionGraph", "MemoryPane"):
        fresh.route(f"**/{part}-*.js*", answer)
    fresh.goto(compiled)
    for title in ("Triton", "Fusion", "Memory"):
        away["now"] = True
        show(fresh, title)
        shown = pane(fresh, title.lower())
        alert = shown.get_by_role("alert")
        expect(alert).to_contain_text("The page could not fetch")
        away["now"] = False
        alert.get_by_role("button", name="Retry").click()
        expect(alert).to_have_count(0)
        expect(shown.locator(".cm-content, svg.fusion-drawing, table").first).to_be_visible()


def test_the_live_line_is_compressed(fresh: Page) -> None:
    agreed: list[str] = []
    cdp = fresh.context.new_cdp_session(fresh)
    cdp.send("Network.enable")
    cdp.on(
        "Network.webSocketHandshakeResponseReceived",
        lambda e: agreed.append(e["response"]["headers"].get("Sec-WebSocket-Extensions", "")),
    )
    run(fresh, "1 +\n", "failed")
    assert agreed
    assert all("permessage-deflate" in each for each in agreed)
