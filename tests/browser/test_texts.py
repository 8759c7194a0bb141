"""Texts are fetched when a pane looks at them; what the server sends is compressed."""

import base64
import random
from collections.abc import Callable
from itertools import pairwise

from playwright.sync_api import Page, Request, Route, expect

from compiler_core import report
from compiler_core.report import Artifact, CapturedOp, Graph, Program, Report, Stage
from tests.browser import work
from tests.browser.others import opened_up, other
from tests.browser.steps import expect_state, pane, show

# Of the three seconds until it is there, what the page's main thread may take; the rest is the
# web's, and the way.
MOST_UNTIL_OPENED = 2000 / work.KNOWN_MS


def is_text(request: Request) -> bool:
    return "/texts/" in request.url


def content(page: Page, name: str):
    return pane(page, name).locator(".cm-content").first


def test_a_stored_run_opens_without_its_texts(page: Page, compiled: str) -> None:
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108  Playwright marks it
    page.goto(compiled)
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


def test_a_text_that_cannot_be_had_says_so_and_is_asked_for_again(
    page: Page, compiled: str
) -> None:
    away = {"now": True}

    def answer(route: Route) -> None:
        sentence = '{"error": {"message": "The database cannot be reached.", "remedy": "Wait."}}'
        if away["now"]:
            # As the real server would say it, but for the status, which the console would report.
            route.fulfill(status=422, body=sentence, content_type="application/json")
        else:
            route.continue_()

    page.route("**/texts/*", answer)
    page.goto(compiled)
    alert = pane(page, "ir").get_by_role("alert")
    expect(alert).to_contain_text("The database cannot be reached. Wait.")
    away["now"] = False
    alert.get_by_role("button", name="Try again").click()
    expect(content(page, "ir")).to_contain_text("erf")
    expect(alert).to_have_count(0)


def large(passes: int = 250) -> Report:
    """As much as a GPT of twelve blocks makes that every compiler is looked into: 250 passes over
    1,500 lines, and as many bytes."""
    draw = random.Random(0)
    line = "%{0} = dot_general(%{1}, %{2}) {{lhs_batch = (0), rhs_batch = (0)}} : f32[{3},128]"
    lines = [line.format(i, *(draw.randrange(1, 999) for _ in range(3))) for i in range(1500)]
    texts = []
    for _ in range(passes + 1):
        lines[draw.randrange(1500)] = line.format(*(draw.randrange(1, 999) for _ in range(4)))
        texts.append("\n".join(lines))
    ids = [[i] for i in range(1500)]
    stages = [
        Stage(
            f"pass {number}",
            "ok",
            1.0,
            [Artifact(*side, ids) for side in _sides(before, after)],
            "pass",
        )
        for number, (before, after) in enumerate(pairwise(texts))
    ]
    nodes = [CapturedOp(i, "dot_general", 1, 1) for i in range(1500)]
    program = Program("f", "torch", graphs=[Graph(name="f", line=1)], nodes=nodes, stages=stages)
    return Report(snippet=report.Snippet("", "f = 1\n"), programs=[program])


def _sides(before: str, after: str) -> list[tuple]:
    return [("before", "ir", "fuselab", before), ("after", "ir", "fuselab", after)]


def test_a_report_of_many_megabytes_opens_within_its_budget(
    measured_page: Page, store: Callable[..., str]
) -> None:
    page = measured_page
    raw = report.encode_report(large())
    assert len(raw) > 45 << 20
    link = store(raw, "apart")
    page.goto("/")
    received: list[int] = []
    cdp = page.context.new_cdp_session(page)
    cdp.send("Network.enable")
    cdp.on("Network.loadingFinished", lambda e: received.append(e["encodedDataLength"]))
    spent = work.session(page)
    page.goto(link)
    expect(content(page, "ir")).to_contain_text("dot_general")
    assert work.spent_ms(spent) <= MOST_UNTIL_OPENED * work.known_ms(page)
    assert sum(received) < 1 << 20


def held_back(page: Page, address: str) -> Callable[[], int]:
    """Requests wait until what is returned is called, which says how many did."""
    held: list[Route] = []
    is_open = False

    def answer(route: Route) -> None:
        if is_open:
            route.continue_()
        else:
            held.append(route)

    def release() -> int:
        nonlocal is_open
        is_open = True
        for route in held:
            route.continue_()
        return len(held)

    page.route(address, answer)
    return release


def test_what_compares_large_texts_is_ready_when_they_are_here(
    page: Page, store: Callable[..., str]
) -> None:
    """A worker takes a while to begin: it is not begun after the texts came."""
    release = held_back(page, "**/texts/*")
    with page.expect_worker() as worker:
        page.goto(store(report.encode_report(large(passes=1)), "apart"))
    assert "sheet.worker" in worker.value.url
    assert release() > 0
    expect(content(page, "ir")).to_contain_text("dot_general")


def test_a_run_that_its_link_opens_is_not_preceded_by_the_examples(
    page: Page, compiled: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    release = held_back(page, "**/api/v1/runs/*")
    page.goto(compiled)
    expect(pane(page, "ir")).to_be_attached()
    expect(page.get_by_role("textbox", name="Source")).to_be_visible()
    assert release() > 0
    expect_state(page, "done")
    assert not [url for url in asked if "Welcome" in url or url.endswith("/examples")]


def test_a_file_that_a_compiler_wrote_is_kept_by_a_button(
    page: Page, store: Callable[..., str]
) -> None:
    content = base64.b64encode(bytes(range(256)) * 40).decode()
    saved = other("saved", artifacts=[Artifact("f.pt2", "pt2", "base64", content)])
    page.goto(store(report.encode_report(opened_up(saved)), "apart"))
    expect_state(page, "done")
    page.get_by_role("treeitem", name="XLA").click()
    page.get_by_role("treeitem", name="saved").click()
    with page.expect_download() as kept:
        page.get_by_role("button", name="Download f.pt2").click()
    assert kept.value.suggested_filename == "f.pt2"
    assert kept.value.path().read_bytes() == bytes(range(256)) * 40


def test_a_text_is_kept_with_the_ending_of_its_language(
    page: Page, store: Callable[..., str]
) -> None:
    lowered = other("lowered again", artifacts=[Artifact("hlo", "hlo", "stablehlo", "module\n")])
    page.goto(store(report.encode_report(opened_up(lowered)), "apart"))
    expect_state(page, "done")
    page.get_by_role("treeitem", name="XLA").click()
    page.get_by_role("treeitem", name="lowered again").click()
    with page.expect_download() as kept:
        pane(page, "reference").get_by_role("button", name="Download Reference").click()
    assert kept.value.suggested_filename == "lowered-again-hlo.mlir"
    assert kept.value.path().read_text() == "module\n"
