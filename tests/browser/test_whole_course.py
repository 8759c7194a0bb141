"""A course as a room has it, all of it: a leader, two seats and a phone, who solve its exercises
between them, one of whom loses the network while the web process and the worker start again."""

import re
import signal
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle

import psutil
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from tests.browser.deck.pages import COURSE, deck, turn
from tests.browser.sockets import Sockets
from tests.browser.steps import GELU, PHONE, RUN_MS, room, shared, source, write, write_at_end
from webapp.workshops.courses.course import Exercise
from webapp.workshops.courses.shelf import shelf

DESK: ViewportSize = {"width": 1440, "height": 900}
# The worker that comes again has its compilers to warm before the run goes on.
AGAIN_MS = 2 * RUN_MS
WHY = shelf()["why-not-faster"]


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


def task(page: Page, exercise: Exercise) -> Locator:
    """An exercise on its page of the deck."""
    return deck(page).get_by_role("article", name=title(exercise))


def begin(lena: Page, page: Page, exercise: Exercise, after: int) -> int:
    """The leader turns to an exercise, after so many pages, and somebody who follows begins it;
    after how many the next one is."""
    number = page_of(exercise)
    turn(lena, "Next", number - after)
    task(page, exercise).get_by_role("button", name="Start").click()
    # The first line says what it is, above what it is done with.
    expect(source(page)).to_contain_text(line_of(exercise.files["start.py"]))
    return number


def check(page: Page, exercise: Exercise) -> None:
    # On a phone the editor lies where the deck was.
    if not deck(page).is_visible():
        room(page).get_by_role("button", name=re.compile("^Deck")).click()
    task(page, exercise).get_by_role("button", name="Check").click()


def solve(page: Page, exercise: Exercise) -> None:
    answer = exercise.files["answer.py"]
    write(page, answer)
    # What is checked is what the editor holds: a text that never came there is told of here, and
    # not as an exercise that is never passed.
    expect(source(page)).to_contain_text(line_of(answer))
    check(page, exercise)


def has_passed(page: Page, count: int) -> None:
    expect(room(page)).to_contain_text(f"Exercises {count} of 8", timeout=AGAIN_MS)


def hand_out(lena: Page, followers: Sequence[Page], run: str) -> None:
    """All go where the leader goes, and get what is handed out."""
    lena.goto(run)
    for page in followers:
        expect(page).to_have_url(re.compile(run))
    write(lena, GELU.replace("bias_gelu", "handed_out"))
    room(lena).get_by_role("button", name="Hand out").click()
    room(followers[-1]).get_by_role("button", name="Open it").click()
    expect(source(followers[-1])).to_contain_text("handed_out")


def solve_in_turn(lena: Page, seats: Sequence[Page], tasks: Sequence[Exercise]) -> Counter[Page]:
    """Page by page the leader comes to the exercises, of which each is somebody's; while one has
    theirs checked, the next begins. How many each has passed."""
    passed, at = Counter[Page](), 0
    for exercise, page in zip(tasks, cycle(seats), strict=False):
        has_passed(page, passed[page])
        at = begin(lena, page, exercise, at)
        solve(page, exercise)
        passed[page] += 1
    return passed


def write_together(lena: Page, ada: Page) -> None:
    room(lena).get_by_role("button", name="3 of 3 here").click()
    room(lena).get_by_role("button", name="Give pen to Ada").click()
    for page in (lena, ada):
        page.get_by_role("tab", name="Shared", exact=True).click()
    write_at_end(lena, "# one\n")
    expect(shared(ada)).to_contain_text("# one")


def write_through_a_restart(stack: str, lena: Page, ada: Page, sockets: Sockets) -> None:
    """The machine's processes start again and a network is gone, while both write."""
    web, worker = services(stack)
    worker.send_signal(signal.SIGTERM)
    with without_network(ada.context, sockets):
        expect_cut(ada)
        write_at_end(ada, "# two\n")
        web.kill()
        write_at_end(lena, "# three\n")
        expect_cut(lena)
        write_at_end(lena, "# four\n")
    for page in (lena, ada):
        for each in ("# one", "# two", "# three", "# four"):
            expect(shared(page)).to_contain_text(each)
    assert text_of(lena) == text_of(ada)


def expect_cut(page: Page) -> None:
    expect(page.get_by_text("Not connected: what you write is merged")).to_be_visible()


def pass_at_last(page: Page, exercise: Exercise) -> None:
    """The run that was under way ends, and says why it does not pass; a hint leads to one that
    does."""
    tried = task(page, exercise)
    expect(tried).to_contain_text("at most 1 kernel: not yet. 2 kernels: ", timeout=AGAIN_MS)
    tried.get_by_role("button", name="Open hint 1 of 3").click()
    expect(tried.get_by_label("Hints")).to_contain_text("at least the row's maximum")
    solve(page, exercise)
    expect(tried.get_by_role("status")).to_have_text("Passed, 2 attempts", timeout=RUN_MS)


def line_on_the_wall(lena: Page, text: str) -> Locator:
    return room(lena).get_by_role("listitem").filter(has_text=text)


def show_to_all(lena: Page, everybody: Sequence[Page], whose: str, run: str) -> None:
    """The leader shows the run of one to all, the phone too; it is not told as her own."""
    row = line_on_the_wall(lena, whose)
    row.get_by_role("button", name=f"Show to all who follow: the run of {whose}").click()
    for page in everybody:
        expect(page).to_have_url(re.compile(re.escape(run)))
    expect(line_on_the_wall(lena, "leads")).to_have_text("Lenayou · leads")


def test_a_whole_course_loses_no_keystroke_no_run_and_no_seat(
    chromium: Browser, live_stack: str, compiled: str
) -> None:
    lena = opened(chromium, live_stack)
    link = lena.evaluate("location.pathname")
    sam = joined(chromium, live_stack, link, "Sam", DESK)
    ada = joined(chromium, live_stack, link, "Ada", DESK)
    kim = joined(chromium, live_stack, link, "Kim", PHONE)
    sockets = Sockets(ada.context, "**/ws/**")
    ada.reload()
    hand_out(lena, (sam, ada, kim), compiled)
    *most, last = WHY.exercises
    passed = solve_in_turn(lena, (kim, sam, ada), most)
    # One begins the last by having it checked as it is, while another writes with the leader.
    has_passed(sam, passed[sam])
    begin(lena, sam, last, page_of(most[-1]))
    write_together(lena, ada)
    check(sam, last)
    expect(sam.get_by_test_id("state")).to_have_text("running", timeout=RUN_MS)
    write_through_a_restart(live_stack, lena, ada, sockets)
    pass_at_last(sam, last)
    passed[sam] += 1
    # All that was solved is everybody's who solved it, and everybody has their seat.
    for page, count in passed.items():
        has_passed(page, count)
    assert passed.total() == len(WHY.exercises) == 8
    expect(room(lena)).to_contain_text("3 of 3 here")
    for name, page in (("Kim", kim), ("Sam", sam), ("Ada", ada)):
        expect(line_on_the_wall(lena, name)).to_contain_text(f"{passed[page]} of 8 passed")
    show_to_all(lena, (lena, sam, ada, kim), "Sam", run_of(sam))
    expect(source(kim)).to_contain_text(line_of(last.files["answer.py"]))
    for page in (lena, sam, ada, kim):
        page.context.close()


def title(exercise: Exercise) -> str:
    return tomllib.loads(exercise.files["exercise.toml"])["title"]


def page_of(exercise: Exercise) -> int:
    """On which page of the deck it is, from 0."""
    return next(at for at, page in enumerate(WHY.pages) if f"={exercise.name}\n" in page.text)


def line_of(text: str) -> str:
    """What its first line says."""
    return text.partition("\n")[0].strip('"')


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
