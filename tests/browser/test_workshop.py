"""A workshop through a leader's browser and a participant's."""

import re

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import api
from tests.browser.axe import violations
from tests.browser.sockets import Sockets
from tests.browser.steps import GELU, PHONE, RUN_MS, expect_state, lit, measure, pane, room, write


def source(page: Page):
    return page.get_by_role("textbox", name="Source")


def test_a_workshop_is_opened_joined_followed_and_handed_a_snippet(
    lena: Page, sam: Page, live_stack: str
) -> None:
    link = lena.evaluate("location.pathname")
    expect(room(lena)).to_contain_text("1 of 1 here, 1 leader")
    # Handed out, taken, and one's own text put back.
    write(sam, "mine = 1")
    write(lena, GELU)
    room(lena).get_by_role("button", name="Hand out").click()
    expect(room(sam)).to_contain_text("Lena handed out a snippet.")
    room(sam).get_by_role("button", name="Open it").click()
    expect(source(sam)).to_contain_text("bias_gelu")
    back = room(sam).get_by_role("button", name="Put my text back")
    expect(back).to_be_in_viewport(ratio=1)
    back.click()
    expect(source(sam)).to_contain_text("mine = 1")
    # Followed to a run, and one's own way again.
    room(sam).get_by_role("button", name="Follow Lena").click()
    address = api.ended(live_stack, GELU, measure=False).address
    lena.goto(address)
    expect(sam).to_have_url(re.compile(address), timeout=30_000)
    room(sam).get_by_role("button", name="Following Lena").click()
    # A reload keeps the seat; who is removed is out at once.
    sam.reload()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    room(lena).get_by_role("button", name=re.compile("here")).click()
    room(lena).get_by_role("button", name="Remove Sam").click()
    expect(room(sam)).to_have_count(0)
    expect(room(lena)).to_contain_text("nobody here yet, 1 leader")
    # The door tells them why they do not come in, and whom to ask.
    sam.goto(link)
    expect(room(sam)).to_contain_text("you were removed from this workshop. Ask Lena")
    expect(sam.get_by_role("button", name="Join")).to_have_count(0)
    # Let back in, who has loaded the page again has their seat.
    room(lena).get_by_role("button", name="Let back in: Sam").click()
    expect(room(lena)).to_contain_text("of 1 here, 1 leader")
    sam.reload()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    # And who leaves, which is asked about.
    room(sam).get_by_role("button", name="Leave", exact=True).click()
    assert violations(sam) == []
    room(sam).get_by_role("button", name="Stay").click()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()


def test_the_wall_has_a_line_for_who_leads_and_a_card_for_each_other(lena: Page, sam: Page) -> None:
    room(lena).get_by_role("button", name=re.compile("here")).click()
    leader, seat = (
        lena.get_by_label("Seats").get_by_role("listitem").filter(has_text=name)
        for name in ("Lena", "Sam")
    )
    line, card = leader.bounding_box(), seat.bounding_box()
    assert line and card and line["height"] < 32 <= card["height"]
    assert line["width"] > 2 * card["width"]
    for width in (1440, 1280, 390):
        lena.set_viewport_size({"width": width, "height": 844})
        acts = [act.bounding_box() for act in seat.get_by_role("button").all()]
        assert len(acts) == 4 and len({act and act["y"] for act in acts}) == 1
    lena.set_viewport_size({"width": 1440, "height": 900})
    # What the leader says of it is read, and dismissed by a word in one line, on a phone too.
    seat.get_by_role("button", name="Comment on the work of Sam").click()
    said = "Where does the maximum go? Try it in one pass over each row."
    lena.keyboard.type(said)
    lena.keyboard.press("Enter")
    expect(room(sam)).to_contain_text(said)
    dismiss = sam.get_by_role("button", name="Dismiss")
    expect(dismiss).to_be_visible()
    box = dismiss.bounding_box()
    assert box and box["width"] > 60


def shared(page: Page):
    return page.get_by_role("textbox", name="Shared text")


def test_a_text_is_written_together_by_who_has_the_pen_and_a_cut_line_loses_nothing(
    lena: Page, sam: Page
) -> None:
    text = Sockets(sam, "**/text/")
    write(sam, "mine = 1")
    sam.reload()
    for page in (lena, sam):
        page.get_by_role("tab", name="Shared", exact=True).click()
    # Who writes is seen, with a name; who has no pen reads.
    write(lena, GELU)
    expect(shared(sam)).to_contain_text("bias_gelu")
    expect(sam.locator(".cm-their-name")).to_have_text("Lena")
    expect(shared(sam)).to_have_attribute("aria-readonly", "true")
    shared(sam).click()
    sam.keyboard.type("not this")
    # The pen is given, and both write.
    room(lena).get_by_role("button", name=re.compile("here")).click()
    room(lena).get_by_role("button", name="Give pen to Sam").click()
    expect(sam.get_by_text("Lena and Sam have the pen.")).to_be_visible()
    shared(sam).click()
    sam.keyboard.press("ControlOrMeta+Home")
    sam.keyboard.type("# by Sam\n")
    expect(shared(lena)).to_contain_text("# by Sam")
    expect(lena.locator(".cm-their-name")).to_have_text("Sam")
    assert violations(lena) == violations(sam) == []
    # At the same time too, letter by letter.
    write_at_end(lena, "\n")
    for hers, his in zip("# at the end", "# at the top", strict=True):
        lena.keyboard.type(hers)
        sam.keyboard.type(his)
    sam.keyboard.press("Enter")
    for page in (lena, sam):
        expect(shared(page)).to_contain_text("# at the end")
        expect(shared(page)).to_contain_text("# at the top")
    # What is written while the line is cut is merged.
    with text.cut():
        expect(sam.get_by_text("Not connected: what you write is merged")).to_be_visible()
        sam.keyboard.type("# cut off\n")
        write_at_end(lena, "# meanwhile\n")
    for page in (lena, sam):
        expect(shared(page)).to_have_text(re.compile("# by Sam.*# cut off.*# meanwhile"))
        expect(shared(page)).not_to_contain_text("not this")
    # So is what was written in a tab that was closed before the line was back, deletions too.
    with text.cut():
        expect(sam.get_by_text("Not connected: what you write is merged")).to_be_visible()
        sam.keyboard.type("# closed\n")
        for _ in "import torch":
            sam.keyboard.press("Delete")
        sam.close()
    sam = sam.context.new_page()
    text = Sockets(sam, "**/text/")
    sam.goto(lena.evaluate("location.pathname"))
    sam.get_by_role("tab", name="Shared", exact=True).click()
    for page in (lena, sam):
        expect(shared(page)).to_have_text(re.compile("# by Sam.*# closed.*# meanwhile"))
        expect(shared(page)).not_to_contain_text("import torch")
    unsent = "Object.keys(localStorage).filter((key) => key.startsWith('fuselab.shared.'))"
    expect(sam.get_by_text("Lena and Sam have the pen.")).to_be_visible()
    assert sam.evaluate(unsent) == []
    shared(sam).click()
    sam.keyboard.press("ControlOrMeta+Home")
    # The pen is taken while the line is cut: what was written is not in the text, and is not lost.
    with text.cut():
        expect(sam.get_by_text("Not connected: what you write is merged")).to_be_visible()
        sam.keyboard.type("# too late\n")
        room(lena).get_by_role("button", name="Take pen from Sam").click()
    alert = sam.get_by_role("alert").filter(has_text="You do not have the pen")
    expect(alert).to_be_visible()
    expect(shared(sam)).to_contain_text("# meanwhile")
    expect(shared(sam)).not_to_contain_text("# too late")
    alert.get_by_role("button", name="Copy what I wrote into mine").click()
    expect(source(sam)).to_contain_text("# too late")
    room(sam).get_by_role("button", name="Put my text back").click()
    expect(source(sam)).to_have_text("mine = 1")


def write_at_end(page: Page, text: str) -> None:
    shared(page).click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text(text)


def test_a_name_hides_the_text_for_a_moment_and_is_cut_where_it_is_long(
    lena: Page, sam: Page
) -> None:
    long = "W" * 40
    for page in (lena, sam):
        page.get_by_role("tab", name="Shared", exact=True).click()
    write(lena, GELU)
    room(lena).get_by_role("button", name="More", exact=True).click()
    lena.get_by_role("menuitem", name="Change my name").click()
    lena.get_by_label("Your name").fill(long)
    lena.get_by_role("button", name="Change", exact=True).click()
    held = sam.get_by_text(f"{long} has the pen.")
    expect(held).to_be_visible()
    assert held.evaluate("line => line.scrollWidth <= line.clientWidth")
    assert sam.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    name = sam.locator(".cm-their-name")
    expect(name).to_have_text(long)
    box = name.bounding_box()
    assert box and box["width"] <= 160
    expect(name).to_be_hidden()
    # What another writes before a cursor moves it, and says no name; what its person writes does.
    room(lena).get_by_role("button", name=re.compile("here")).click()
    room(lena).get_by_role("button", name="Give pen to Sam").click()
    expect(shared(sam)).not_to_have_attribute("aria-readonly", "true")
    shared(sam).press("ControlOrMeta+Home")
    sam.keyboard.insert_text("# by Sam\n")
    expect(shared(lena)).to_contain_text("# by Sam")
    assert name.is_hidden()
    write_at_end(lena, "#")
    expect(name).to_be_visible()


def test_the_shared_text_is_run_as_ones_own_and_leaves_that_as_it_is(lena: Page) -> None:
    code = lena.evaluate("location.pathname").removeprefix("/w/")
    write(lena, "mine = 1")
    lena.get_by_role("tab", name="Shared", exact=True).click()
    measure(lena, on=False)
    write_at_end(lena, GELU)
    with lena.expect_request("**/api/v1/runs") as asked:
        lena.get_by_role("button", name="Run", exact=True).click()
    # All tabs of a seat are one editor: of its runs that wait the newest stays.
    seat = lena.evaluate("code => fetch(`/api/v1/workshops/${code}`).then(r => r.json())", code)
    assert asked.value.post_data_json["editor"] == f"{code}-{seat['you']}"
    expect_state(lena, "done")
    # Its lines light up as those of one's own do.
    lena.get_by_text("y = x + b").first.click()
    expect(lit(lena, "source")).to_have_text(["    y = x + b"])
    # One's own text is not what was run; that is no edit of this one.
    write_at_end(lena, "\n")
    expect(lena.get_by_role("button", name="Undo edits")).to_have_count(0)
    lena.keyboard.press("ControlOrMeta+Enter")
    lena.get_by_role("tab", name="Mine", exact=True).click()
    expect(source(lena)).to_have_text("mine = 1")
    lena.reload()
    expect(source(lena)).to_have_text("mine = 1")
    lena.get_by_role("tab", name="Shared", exact=True).click()
    expect(shared(lena)).to_contain_text("bias_gelu")


def test_both_texts_are_seen_at_once_and_run_runs_that_in_which_one_writes(lena: Page) -> None:
    write(lena, "mine = 1")
    alone = pane(lena, "source").bounding_box()
    lena.get_by_role("button", name="Both", exact=True).click()
    expect_beside(source(lena), shared(lena))
    shared(lena).click()
    expect(lena.get_by_role("tab", name="Shared", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    write_at_end(lena, "ours = 2")
    expect(source(lena)).to_have_text("mine = 1")
    assert violations(lena) == []
    source(lena).click()
    with lena.expect_request("**/api/v1/runs") as asked:
        lena.keyboard.press("ControlOrMeta+Enter")
    assert asked.value.post_data_json["source"] == "mine = 1"
    # What is wrong is marked in the text that was run, whichever one writes in.
    source(lena).click()
    lena.keyboard.press("ControlOrMeta+a")
    lena.keyboard.insert_text("mine = missing")
    lena.keyboard.press("ControlOrMeta+Enter")
    wrong = ".cm-lintRange-error"
    expect(lena.get_by_role("tabpanel", name="Mine").locator(wrong)).to_have_text(
        re.compile("missing"), timeout=RUN_MS
    )
    shared(lena).click()
    expect(lena.get_by_role("tab", name="Shared", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    expect(lena.get_by_role("tabpanel", name="Shared").locator(wrong)).to_have_count(0)
    expect(lena.get_by_role("tabpanel", name="Mine").locator(wrong)).to_have_count(1)
    source(lena).click()
    # Beside each other, on a wide screen and with as little room as a deck leaves them; the pane
    # has as much more as they need, and gives it back.
    for width in (1440, 1024):
        lena.set_viewport_size({"width": width, "height": 900})
        expect_beside(source(lena), shared(lena))
    lena.set_viewport_size({"width": 1440, "height": 900})
    lena.get_by_role("button", name="Both", exact=True).click()
    expect(shared(lena)).to_be_hidden()
    expect(source(lena)).to_be_visible()
    assert pane(lena, "source").bounding_box() == alone


def expect_beside(left: Locator, right: Locator) -> None:
    """That they are drawn so: a moved border is drawn with the next frame."""
    right.page.wait_for_function(
        """([left, right]) => {
            const [a, b] = [left.getBoundingClientRect(), right.getBoundingClientRect()]
            return a.right <= b.left && a.top === b.top && a.width > 150
        }""",
        arg=[left.element_handle(), right.element_handle()],
    )


def test_a_workshop_that_has_ended_is_said_once(chromium: Browser, live_stack: str) -> None:
    page = chromium.new_page(base_url=live_stack)
    page.goto("/w/")
    page.evaluate("() => sessionStorage.setItem('fuselab.workshop', 'k7mq-2p9x')")
    page.goto("/")
    expect(room(page)).to_contain_text('There is no workshop "k7mq-2p9x".')
    page.reload()
    expect(room(page)).to_have_count(0)
    page.close()


def exercises(page: Page):
    return page.get_by_label("Exercises", exact=True)


EXERCISE = """title = "One kernel"
call = "spread(f32[32,64])"
text = "Make it **one** kernel."
hints = ["What does the mean go over?"]

[[check]]
kind = "kernels"
at_most = 1
"""
# A sum over rows of what a sum over columns was taken from: two kernels; and a sum alone.
TWO = """# inputs: f32[32,64]
import torch

def spread(x):
    return torch.exp(x - x.sum(dim=1, keepdim=True)).sum(dim=0)
"""
ONE = TWO.replace(".sum(dim=0)", ".sum(dim=1)")


def check_and_reload(page: Page, task: Locator) -> None:
    """Presses Check of an exercise; reloaded at once, the page goes on with it."""
    with page.expect_request(re.compile("/exercises/one-kernel/runs$")):
        task.get_by_role("button", name="Check").click()
    page.wait_for_timeout(400)
    page.reload()
    room(page).get_by_role("button", name="Exercises 0 of 1").click()


def test_an_exercise_is_added_failed_understood_and_passed(lena: Page, sam: Page) -> None:
    # The leader writes one, starting from what the editor holds.
    measure(lena, on=False)
    write(lena, TWO)
    room(lena).get_by_role("button", name="Exercises").click()
    expect(exercises(lena)).to_contain_text("There are no exercises yet.")
    form = exercises(lena).get_by_role("form", name="Add an exercise")
    form.get_by_label("Name").fill("one-kernel")
    form.get_by_label("exercise.toml").fill(EXERCISE.replace("kernels", "kernals"))
    form.get_by_role("button", name="Add it").click()
    expect(room(lena)).to_contain_text("exercise.toml, check[0].kind: invalid value")
    form.get_by_label("exercise.toml").fill(EXERCISE)
    form.get_by_role("button", name="Add it").click()
    expect(exercises(lena).get_by_role("article", name="One kernel")).to_be_visible()
    # The seat begins, fails, reads why, and opens a hint; who follows has own work as well.
    room(sam).get_by_role("button", name="Follow Lena").click()
    room(sam).get_by_role("button", name="Exercises 0 of 1").click()
    task = exercises(sam).get_by_role("article", name="One kernel")
    expect(task.locator("strong")).to_have_text("one")
    task.get_by_role("button", name="Start").click()
    # On a phone the exercise makes room for the editor.
    expect(task).to_have_count(0)
    expect(source(sam)).to_contain_text("spread")
    room(sam).get_by_role("button", name="Exercises 0 of 1").click()
    check_and_reload(sam, task)
    expect(task).to_contain_text("at most 1 kernel: not yet. 2 kernels: ", timeout=RUN_MS)
    expect(task.get_by_role("status")).to_have_text("1 attempt")
    expect(task).to_contain_text("was not fused with")
    task.get_by_role("button", name="Open hint 1 of 1").click()
    expect(task).to_contain_text("What does the mean go over?")
    # It passes, which the wall and the board tell.
    room(sam).get_by_role("button", name="Exercises 0 of 1").click()
    # Nothing was measured, since no check asks for times; what is run by hand is, as before.
    expect(sam.get_by_role("region", name="Verdict")).to_contain_text("Not measured")
    expect(sam.get_by_role("checkbox", name="Measure")).to_be_checked()
    write(sam, ONE)
    room(sam).get_by_role("button", name="Exercises 0 of 1").click()
    task.get_by_role("button", name="Check").click()
    # What was seen of the text before is not said of this one.
    expect(task.get_by_role("list", name="What is wanted")).to_be_visible()
    expect(task).to_contain_text("at most 1 kernel: passed. 1 kernel.", timeout=RUN_MS)
    expect(task.get_by_role("status")).to_have_text("Passed, 2 attempts")
    expect(room(sam).get_by_role("button", name="Exercises 1 of 1")).to_be_visible()
    expect(exercises(sam).get_by_role("region", name="Board")).to_have_count(0)
    exercises(lena).get_by_role("button", name="Show it to all seats").click()
    expect(exercises(sam).get_by_role("row", name="Sam")).to_contain_text("1 of 1")
    # All of its columns are in sight.
    for page in (lena, sam):
        assert exercises(page).evaluate("all => all.scrollWidth <= all.clientWidth")
    # The leader looks at the wall, sends the work back, and shows it to all.
    room(lena).get_by_role("button", name=re.compile("here")).click()
    seat = room(lena).get_by_role("listitem").filter(has_text="Sam")
    drawn = seat.get_by_role("img", name="What the run of Sam came to")
    expect(drawn).to_be_visible()
    assert drawn.evaluate("async (image) => (await image.decode(), image.naturalWidth)") == 1200
    assert violations(lena) + violations(sam) == []
    assert sam.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    expect(seat).to_contain_text("1 of 1 passed")
    expect(seat).to_contain_text(re.compile(r"1 launch\b"))
    seat.get_by_role("button", name="Comment on the work of Sam").click()
    seat.get_by_label("Comment for Sam").fill("Well done.")
    seat.get_by_role("button", name="Send").click()
    expect(room(sam)).to_contain_text("Lena: Well done.")
    room(sam).get_by_role("button", name="Dismiss").click()
    expect(room(sam)).not_to_contain_text("Well done.")
    seat.get_by_role("button", name="Show to all who follow: the run of Sam").click()
    expect(source(lena)).to_contain_text("sum(dim=1)")
    # What she had written and not run is a press away.
    room(lena).get_by_role("button", name="Put my text back").click()
    expect(source(lena)).to_contain_text("sum(dim=0)")


def test_who_is_told_to_wait_at_the_door_comes_in_by_the_page_itself(sam: Page) -> None:
    refusal = {"message": "Too many requests from this address.", "remedy": "Try again in 2 s."}
    sam.route(
        "**/door",
        lambda route: route.fulfill(
            status=429, json={"error": refusal}, headers={"Retry-After": "2"}
        ),
        times=1,
    )
    sam.reload()
    alert = sam.get_by_role("region", name="Workshop").get_by_role("alert")
    expect(alert).to_contain_text("Try again in 2 s.")
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    expect(alert).to_be_hidden()
