"""An exercise of a workshop, from the leader who adds it to the seat that passes it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.steps import (
    PHONE,
    RUN_MS,
    exercises,
    measure,
    room,
    source,
    write,
)

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


def remove(page: Page, title: str) -> None:
    """What all have done for it goes with an exercise: whether that is meant is asked first."""
    written = exercises(page).get_by_role("article", name=title)
    written.get_by_role("button", name="Remove it").click()
    asked = page.get_by_role("dialog", name=f"Remove {title}")
    expect(asked).to_contain_text("All attempts at it go with it")
    assert violations(page) == []
    asked.get_by_role("button", name="Keep it").click()
    expect(written).to_be_visible()
    written.get_by_role("button", name="Remove it").click()
    asked.get_by_role("button", name="Remove the exercise").click()
    expect(written).to_have_count(0)


def add(lena: Page, text: str) -> Locator:
    """The leader adds an exercise, starting from what the editor holds; the form."""
    form = exercises(lena).get_by_role("form", name="Add an exercise")
    form.get_by_label("Name").fill("one-kernel")
    form.get_by_label("exercise.toml").fill(text)
    form.get_by_role("button", name="Add it").click()
    return form


@pytest.fixture
def led(lena: Page) -> Page:
    """Lena, who has added the exercise."""
    measure(lena, on=False)
    write(lena, TWO)
    room(lena).get_by_role("button", name="Exercises").click()
    add(lena, EXERCISE)
    expect(exercises(lena).get_by_role("article", name="One kernel")).to_be_visible()
    return lena


@pytest.fixture
def task(led: Page, sam: Page) -> Locator:
    """The exercise before Sam, who has begun it."""
    room(sam).get_by_role("button", name="Follow Lena").click()
    room(sam).get_by_role("button", name="Exercises 0 of 1").click()
    found = exercises(sam).get_by_role("article", name="One kernel")
    expect(found.locator("strong")).to_have_text("one")
    found.get_by_role("button", name="Start").click()
    # On a phone the exercise makes room for the editor.
    expect(found).to_have_count(0)
    expect(source(sam)).to_contain_text("spread")
    return found


@pytest.fixture
def passed(task: Locator, sam: Page) -> Locator:
    """The same, which Sam has passed."""
    write(sam, ONE)
    room(sam).get_by_role("button", name="Exercises 0 of 1").click()
    task.get_by_role("button", name="Check").click()
    expect(task).to_contain_text("at most 1 kernel: passed. 1 kernel.", timeout=RUN_MS)
    return task


def seat_of(lena: Page, name: str) -> Locator:
    """The line of somebody on the wall."""
    room(lena).get_by_role("button", name=re.compile("here")).click()
    return room(lena).get_by_role("listitem").filter(has_text=name)


def test_an_exercise_with_a_word_that_is_none_is_refused_and_says_where(lena: Page) -> None:
    write(lena, TWO)
    room(lena).get_by_role("button", name="Exercises").click()
    expect(exercises(lena)).to_contain_text("There are no exercises yet.")
    add(lena, EXERCISE.replace("kernels", "kernals"))
    expect(room(lena)).to_contain_text("exercise.toml, check[0].kind: invalid value")
    add(lena, EXERCISE)
    expect(exercises(lena).get_by_role("article", name="One kernel")).to_be_visible()


def test_an_exercise_is_removed_once_that_is_meant(led: Page) -> None:
    remove(led, "One kernel")


def test_who_fails_reads_why_opens_a_hint_and_then_passes(task: Locator, sam: Page) -> None:
    room(sam).get_by_role("button", name="Exercises 0 of 1").click()
    check_and_reload(sam, task)
    expect(task).to_contain_text("at most 1 kernel: not yet. 2 kernels: ", timeout=RUN_MS)
    expect(task.get_by_role("status")).to_have_text("1 attempt")
    expect(task).to_contain_text("was not fused with")
    task.get_by_role("button", name="Open hint 1 of 1").click()
    expect(task).to_contain_text("What does the mean go over?")
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


@pytest.mark.usefixtures("passed")
def test_who_passes_stands_on_the_board_once_the_leader_shows_it(led: Page, sam: Page) -> None:
    expect(room(sam).get_by_role("button", name="Exercises 1 of 1")).to_be_visible()
    expect(exercises(sam).get_by_role("region", name="Board")).to_have_count(0)
    exercises(led).get_by_role("button", name="Show it to all seats").click()
    expect(exercises(sam).get_by_role("row", name="Sam")).to_contain_text("1 of 1")
    # All of its columns are in sight.
    for page in (led, sam):
        assert exercises(page).evaluate("all => all.scrollWidth <= all.clientWidth")


@pytest.mark.usefixtures("passed")
def test_the_wall_shows_what_a_seat_came_to_and_sends_it_a_comment(led: Page, sam: Page) -> None:
    seat = seat_of(led, "Sam")
    drawn = seat.get_by_role("img", name="What the run of Sam came to")
    expect(drawn).to_be_visible()
    assert drawn.evaluate("async (image) => (await image.decode(), image.naturalWidth)") == 1200
    assert violations(led) + violations(sam) == []
    assert sam.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    expect(seat).to_contain_text("1 of 1 passed")
    expect(seat).to_contain_text(re.compile(r"1 launch\b"))
    seat.get_by_role("button", name="Comment on the work of Sam").click()
    seat.get_by_label("Comment for Sam").fill("Well done.")
    seat.get_by_role("button", name="Send").click()
    expect(room(sam)).to_contain_text("Lena: Well done.")
    room(sam).get_by_role("button", name="Dismiss").click()
    expect(room(sam)).not_to_contain_text("Well done.")


@pytest.mark.usefixtures("passed")
def test_the_work_of_a_seat_is_shown_to_all_and_ones_own_text_is_put_back(led: Page) -> None:
    show = seat_of(led, "Sam").get_by_role("button", name="Show to all who follow: the run of Sam")
    show.click()
    expect(source(led)).to_contain_text("sum(dim=1)")
    # What she had written and not run is a press away.
    room(led).get_by_role("button", name="Put my text back").click()
    expect(source(led)).to_contain_text("sum(dim=0)")
