"""A course as a room has it: a leader, two seats and a phone, one of whom loses the network, while
the web process and the worker start again."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.sockets import Sockets
from tests.browser.steps import GELU, PHONE, RUN_MS, measure, room, write
from tests.browser.test_deck import COURSE, deck
from tests.browser.test_workshop import exercises, shared, source, write_at_end

DESK: ViewportSize = {"width": 1440, "height": 900}
# The worker that comes again has its compilers to warm before the run goes on.
AGAIN_MS = 2 * RUN_MS
TASK, WRONG, RIGHT = "Make softmax one kernel", "x - x.max()", "x - x.amax(-1, keepdim=True)"


@contextmanager
def without_network(context: BrowserContext, sockets: Sockets) -> Iterator[None]:
    """As in a train's tunnel."""
    with sockets.cut():
        context.set_offline(True)
        yield
        context.set_offline(False)


def services(stack: str) -> tuple[psutil.Process, psutil.Process]:
    """The web process and the worker behind this address."""
    port = f"--port={stack.rpartition(':')[2]}"
    [web] = [p for p in psutil.process_iter(["cmdline"]) if port in (p.info["cmdline"] or ())]
    launcher = web.parent()
    assert launcher is not None
    [worker] = [p for p in launcher.children() if "celery" in p.cmdline()]
    return web, worker


def somebodys(browser: Browser, stack: str, viewport: ViewportSize) -> Page:
    context = browser.new_context(base_url=stack, viewport=viewport, reduced_motion="reduce")
    return context.new_page()


def joined(browser: Browser, stack: str, link: str, name: str, viewport: ViewportSize) -> Page:
    """Somebody's page who has come in and follows."""
    page = somebodys(browser, stack, viewport)
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join").click()
    expect(deck(page)).to_be_visible()
    deck(page).get_by_role("button", name="Close the deck").click()
    room(page).get_by_role("button", name="Follow Lena").click()
    expect(room(page).get_by_role("button", name="Following Lena")).to_be_visible()
    return page


def opened(browser: Browser, stack: str) -> Page:
    """The leader's page, with the course."""
    page = somebodys(browser, stack, DESK)
    page.goto("/w/")
    page.get_by_label("Course").select_option(label=f"{COURSE} (90 min)")
    page.get_by_label("Your name").fill("Lena")
    page.get_by_role("button", name="Open a workshop").click()
    expect(deck(page)).to_be_visible()
    return page


def test_a_course_loses_no_keystroke_no_run_and_no_seat(
    chromium: Browser, live_stack: str, compiled: str
) -> None:
    lena = opened(chromium, live_stack)
    link = lena.evaluate("location.pathname")
    sam = joined(chromium, live_stack, link, "Sam", DESK)
    ada = joined(chromium, live_stack, link, "Ada", DESK)
    kim = joined(chromium, live_stack, link, "Kim", PHONE)
    everybody = (lena, sam, ada, kim)
    sockets = Sockets(ada.context, "**/ws/**")
    ada.reload()
    # All go where the leader goes, and get what is handed out.
    lena.goto(compiled)
    for page in (sam, ada, kim):
        expect(page).to_have_url(re.compile(compiled))
    write(lena, GELU.replace("bias_gelu", "handed_out"))
    room(lena).get_by_role("button", name="Hand out").click()
    room(kim).get_by_role("button", name="Open it").click()
    expect(source(kim)).to_contain_text("handed_out")
    # One solves an exercise, while another writes with the leader.
    room(sam).get_by_role("button", name="Following Lena").click()
    room(sam).get_by_role("button", name="Exercises 0 of 8").click()
    exercises(sam).get_by_role("button", name=TASK).click()
    task = exercises(sam).get_by_role("article", name=TASK)
    task.get_by_role("button", name="Start").click()
    expect(source(sam)).to_contain_text(WRONG)
    measure(sam, on=False)
    room(lena).get_by_role("button", name="3 of 3 here").click()
    room(lena).get_by_role("button", name="Give pen to Ada").click()
    for page in (lena, ada):
        page.get_by_role("tab", name="Shared", exact=True).click()
    write_at_end(lena, "# one\n")
    expect(shared(ada)).to_contain_text("# one")
    task.get_by_role("button", name="Check").click()
    expect(sam.get_by_test_id("state")).to_have_text("running", timeout=RUN_MS)
    # The machine's processes start again, and a network is gone.
    web, worker = services(live_stack)
    worker.send_signal(signal.SIGTERM)
    with without_network(ada.context, sockets):
        expect(ada.get_by_text("Not connected: what you write is merged")).to_be_visible()
        write_at_end(ada, "# two\n")
        web.kill()
        write_at_end(lena, "# three\n")
        expect(lena.get_by_text("Not connected: what you write is merged")).to_be_visible()
        write_at_end(lena, "# four\n")
    for page in (lena, ada):
        for each in ("# one", "# two", "# three", "# four"):
            expect(shared(page)).to_contain_text(each)
    assert text_of(lena) == text_of(ada)
    # The run that was under way ends, and says why it does not pass; the next one does.
    expect(task).to_contain_text("at most 1 kernel: not yet. 2 kernels: ", timeout=AGAIN_MS)
    write(sam, source(sam).inner_text().replace(WRONG, RIGHT))
    task.get_by_role("button", name="Check").click()
    expect(task.get_by_role("status")).to_have_text("Passed, 2 attempts", timeout=RUN_MS)
    # The leader shows it to all, the phone too; everybody still has their seat.
    expect(room(lena)).to_contain_text("3 of 3 here")
    row = room(lena).get_by_role("listitem").filter(has_text="Sam")
    expect(row).to_contain_text("1 of 8 passed")
    row.get_by_role("button", name="Show to all who follow: the run of Sam").click()
    for page in (ada, kim):
        page.wait_for_url(lambda url: compiled not in url and "/r/" in url)
    assert {run_of(page) for page in everybody} == {run_of(sam)}
    # What she shows is not told as her own.
    own = room(lena).get_by_role("listitem").filter(has_text="leads")
    expect(own).to_have_text("Lenayou · leads")
    for page in everybody:
        page.context.close()


def text_of(page: Page) -> str:
    """The shared text, without the names at the others' cursors."""
    return shared(page).evaluate(
        """element => {
            const copy = element.cloneNode(true)
            for (const name of copy.querySelectorAll('.cm-their-name')) name.remove()
            return copy.textContent
        }"""
    )


def run_of(page: Page) -> str:
    return page.evaluate("location.pathname")
