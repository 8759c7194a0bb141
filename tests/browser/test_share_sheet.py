"""The sheet of everything in which a run, or a snippet alone, can be handed on."""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Locator, Page, expect

from tests.browser import api
from tests.browser.axe import SIZES, sized, violations
from tests.browser.steps import GELU, expect_state, go, lit, new, pane, press_until, run, write
from tests.sweep_plugin import thinned

SNIPPET = "#snippet="


def sheet(page: Page) -> Locator:
    page.get_by_role("button", name="Share").click()
    return page.get_by_role("dialog", name="Share")


def copied(page: Page, what: str) -> str:
    shown = sheet(page)
    shown.get_by_role("button", name=f"Copy: {what}").click()
    expect(shown.get_by_role("status")).to_contain_text(f"{what} copied.")
    page.keyboard.press("Escape")
    return page.evaluate("navigator.clipboard.readText()")


@pytest.fixture
def stranger(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


def test_a_snippet_in_a_link_opens_with_nothing_stored(
    page: Page, stranger: BrowserContext, live_stack: str
) -> None:
    source = new(GELU)
    page.goto("/")
    write(page, source)
    page.get_by_role("checkbox", name="Measure").uncheck()
    link = copied(page, "Snippet link")
    assert link.startswith(f"{live_stack}/{SNIPPET}")

    theirs, asked = stranger.new_page(), list[str]()
    theirs.on("request", lambda request: asked.append(request.url))
    theirs.goto(link)
    expect(theirs.get_by_role("textbox", name="Source")).to_contain_text("return F.gelu(y)")
    expect(theirs.get_by_label("Measure")).not_to_be_checked()
    assert not [url for url in asked if "/api/v1/runs" in url]
    # Edits are a draft from then on: they are not lost to the link by a reload.
    write(theirs, "edited = 1\n")
    theirs.wait_for_timeout(600)
    theirs.reload()
    expect(theirs.get_by_role("textbox", name="Source")).to_contain_text("edited = 1")


def test_a_damaged_snippet_link_says_so(page: Page) -> None:
    page.goto(f"/{SNIPPET}abc")
    expect(page.locator(".problems")).to_contain_text("incomplete or damaged")


def test_a_snippet_link_replaces_what_is_on_an_open_page(page: Page, compiled: str) -> None:
    go(page, compiled)
    expect_state(page, "done")
    link = copied(page, "Snippet link")
    page.goto("/")
    write(page, "other = 1\n")
    page.goto(link)
    expect(page.get_by_role("textbox", name="Source")).to_contain_text("bias_gelu")


def picture(page: Page, path: str) -> APIResponse:
    """What stands beside a link, once it is there; the last answer where it never was."""
    answer = page.request.get(f"{path}/card.png")
    for _ in range(100):
        if answer.ok:
            break
        page.wait_for_timeout(200)
        answer = page.request.get(f"{path}/card.png")
    return answer


def test_a_run_shared_by_who_left_before_its_picture_gets_one_of_the_next(page: Page) -> None:
    page.route("**/card", lambda route: route.abort())
    run(page, new(GELU))
    link = copied(page, "Link")
    page.unroute("**/card")
    page.reload()
    expect_state(page, "done")
    assert not page.request.get(f"{link.partition('#')[0]}/card.png").ok
    copied(page, "Link")
    assert picture(page, link.partition("#")[0]).ok


def test_a_kept_link_has_a_light_picture_of_the_fusion_graph(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    run(page, GELU)
    link = copied(page, "Link")
    path = link.partition("#")[0]
    answer = picture(page, path)
    assert answer.headers["content-type"] == "image/png"
    assert struct.unpack(">II", answer.body()[16:24]) == (1200, 630)
    pixels = zlib.decompressobj().decompress(answer.body().partition(b"IDAT")[2])
    assert pixels[1:4] == b"\xff\xff\xff"
    html = page.request.get(path).text()
    assert f'<meta property="og:image" content="{path}/card.png">' in html
    assert "launch" in html.partition('og:description" content="')[2].partition('"')[0]


@pytest.fixture
def elsewhere() -> Iterator[Callable[[str], str]]:
    """Another site: what it is given to show, and the address where it shows that."""

    class Post(BaseHTTPRequestHandler):
        content = b""

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(self.content)

        def log_message(self, *_: object) -> None:
            """Nothing, on the tests' own streams."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Post)
    Thread(target=server.serve_forever, daemon=True).start()

    def post(frame: str) -> str:
        html = f'<!doctype html><html lang="en"><title>A post</title><h1>A post</h1>{frame}'
        Post.content = html.encode()
        return f"http://localhost:{server.server_port}/"

    yield post
    server.shutdown()


def test_another_site_shows_panes_in_a_frame_and_can_run_nothing(
    page: Page, compiled: str, stranger: BrowserContext, elsewhere: Callable[[str], str]
) -> None:
    go(page, compiled)
    expect_state(page, "done")
    shown = sheet(page)
    shown.get_by_label("Triton").check()
    shown.get_by_label("Fusion").uncheck()
    address = elsewhere(shown.get_by_label("The frame").input_value())
    other, complaints = stranger.new_page(), list[str]()
    other.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    other.goto(address)
    inside = other.frame_locator("iframe")
    source = inside.locator('[data-pane="source"] .cm-content')
    expect(source).to_contain_text("bias_gelu")
    expect(source).to_have_attribute("aria-readonly", "true")
    inside.locator('[data-pane="source"] .cm-line', has_text="x + b").click()
    expect(inside.locator('[data-pane="source"] .cm-line.cm-lit').first).to_be_visible()
    expect(inside.get_by_role("button", name="Run", exact=True)).to_have_count(0)
    expect(inside.get_by_role("button", name="Measure again")).to_have_count(0)
    whole = inside.get_by_role("link", name="Open in Fuselab")
    expect(whole).to_have_attribute("href", re.compile(re.escape(run_path(compiled))))
    assert complaints == []


def run_path(address: str) -> str:
    return f"/r/{address.rpartition('/')[2]}"


def test_a_file_on_a_disk_may_frame_it_too(
    compiled: str, stranger: BrowserContext, live_stack: str, tmp_path: Path
) -> None:
    slides = tmp_path / "slides.html"
    address = f"{live_stack}/e/{compiled.rpartition('/')[2]}?panes=source"
    slides.write_text(f'<iframe title="x" src="{address}"></iframe>')
    other = stranger.new_page()
    other.goto(slides.as_uri())
    inside = other.frame_locator("iframe")
    expect(inside.locator('[data-pane="source"] .cm-content')).to_contain_text("bias_gelu")


def test_a_narrow_frame_has_its_panes_as_tabs(
    compiled: str, stranger: BrowserContext, live_stack: str, elsewhere: Callable[[str], str]
) -> None:
    address = f"{live_stack}/e/{compiled.rpartition('/')[2]}?panes=source,fusion"
    other = stranger.new_page()
    other.goto(elsewhere(f'<iframe title="x" src="{address}" width="380" height="600"></iframe>'))
    inside = other.frame_locator("iframe")
    inside.get_by_role("tab", name="Source").focus()
    other.keyboard.press("ArrowRight")
    expect(inside.get_by_role("tab", name="Fusion")).to_have_attribute("aria-selected", "true")
    expect(inside.locator("svg.fusion-drawing")).to_be_visible()


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_axe_finds_nothing_in_a_frames_page(page: Page, compiled: str, size: str) -> None:
    sized(page, size)
    page.goto(f"/e/{compiled.rpartition('/')[2]}?panes=fusion,kernels")
    expect(page.locator("svg.fusion-drawing")).to_be_visible()
    assert violations(page) == []


def test_who_did_not_ask_for_a_run_is_not_told_that_it_is_kept(
    stranger: BrowserContext, live_stack: str
) -> None:
    asked = api.ended(live_stack, new(GELU), measure=False)
    theirs, refused = stranger.new_page(), list[str]()
    theirs.on("response", lambda r: refused.append(r.url) if r.status >= 400 else None)
    theirs.goto(f"{live_stack}{asked.address}")
    expect_state(theirs, "done")
    section = sheet(theirs).get_by_role("region", name="Link", exact=True)
    expect(section).to_contain_text("only who asked for the run can keep it")
    section.get_by_role("button", name="Copy: Link").click()
    expect(theirs.get_by_role("dialog").get_by_role("status")).not_to_be_empty()
    assert refused == []


def test_markdown_for_an_issue_has_the_link_and_the_snippet(page: Page, compiled: str) -> None:
    go(page, compiled)
    expect_state(page, "done")
    text = copied(page, "Markdown")
    assert f"]({page.url.partition('#')[0]}" in text
    assert "### `bias_gelu` (PyTorch)" in text
    assert "return F.gelu(y)" in text


def test_one_file_opens_from_a_disk_without_a_network(
    page: Page, measured: str, stranger: BrowserContext, tmp_path: Path
) -> None:
    go(page, measured)
    expect_state(page, "done")
    shown = sheet(page)
    with page.expect_download() as coming:
        shown.get_by_role("button", name="Download HTML, one file").click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    assert file.name == "bias_gelu.html"
    stranger.set_offline(True)
    theirs, asked = stranger.new_page(), list[str]()
    theirs.on("request", lambda request: asked.append(request.url))
    theirs.goto(file.as_uri())
    expect(theirs.get_by_role("heading", name="bias_gelu", level=1)).to_be_visible()
    expect(theirs.locator("svg.fusion-drawing .box").first).to_be_visible()
    expect(theirs.get_by_role("cell", name="core").first).to_be_visible()
    theirs.locator("summary", has_text="triton").first.click()
    expect(theirs.locator("pre", has_text="tl.load").first).to_be_visible()
    assert asked == [file.as_uri()]
    assert violations(theirs) == []


@pytest.mark.parametrize("size", thinned(SIZES, kept=("desk",)))
def test_the_sheet_is_used_by_keys_alone_and_axe_finds_nothing(
    page: Page, compiled: str, size: str
) -> None:
    sized(page, size)
    go(page, compiled)
    expect_state(page, "done")
    page.get_by_role("button", name="Share").focus()
    page.keyboard.press("Enter")
    shown = page.get_by_role("dialog", name="Share")
    expect(shown.get_by_label("The snippet as a link")).to_have_value(re.compile(SNIPPET))
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(page.get_by_role("button", name="Share")).to_be_focused()


def tab_to(page: Page, wanted: Locator) -> None:
    """As somebody does who sees where they are."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{wanted} is not reached")


def test_from_a_paste_to_a_link_by_keys_alone(page: Page) -> None:
    """Pasted, not to be measured, run, a stage and a line of the Triton chosen, the link copied."""
    page.goto("/")
    page.evaluate("text => navigator.clipboard.writeText(text)", new(GELU))
    tab_to(page, page.get_by_role("textbox", name="Source"))
    for key in ("ControlOrMeta+a", "ControlOrMeta+v", "Escape"):
        page.keyboard.press(key)
    tab_to(page, page.get_by_role("checkbox", name="Measure"))
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox", name="Measure")).not_to_be_checked()
    page.keyboard.press("ControlOrMeta+Enter")
    expect_state(page, "done")
    stages = page.get_by_role("tree", name="Stages")
    tab_to(page, stages)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    expect(stages.get_by_role("treeitem", selected=True)).to_contain_text("no change")
    tab_to(page, pane(page, "triton").locator(".cm-content"))
    press_until(page, "ArrowDown", lambda: lit(page, "source").count() > 0, most=40)
    tab_to(page, page.get_by_role("button", name="Share"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Copy: Link"))
    page.keyboard.press("Enter")
    shown = page.get_by_role("dialog", name="Share")
    expect(shown.get_by_role("status")).to_contain_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    assert "stage=1" in link and "nodes=" in link
