"""A workshop's course: given, paged by the leader, read by all, taken away again."""

import pytest

from tests.webapp.workshops.courses.samples import FILES, files, zipped
from tests.webapp.workshops.people import BASE, JSON, change, join, opened, room
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.courses.zipping import unpacked
from webapp.workshops.exercises.shelf import MOST
from webapp.workshops.models import Deck

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]
WHY = "why-not-faster"


@pytest.fixture
def code(alice, bob):
    made = opened(alice)
    join(bob, made)
    return made


def upload(person, code, content):
    return person.put(f"{BASE}/{code}/course.zip", content, content_type="application/zip")


def turn(person, code, page):
    return person.patch(f"{BASE}/{code}/deck", {"page": page}, content_type=JSON)


def at(page, pages, *, edition=1, turns=0, ran=None, latest=True):
    """What all are told of a deck."""
    told = {"page": page, "pages": pages, "edition": edition, "turns": turns}
    return told | {"ran": ran or {}, "latest": latest}


def test_the_courses_that_there_are(bob):
    listed = {each["name"]: each for each in bob.get("/api/v1/courses").json()["courses"]}
    assert listed[WHY]["title"] == "Why is my compiled model not faster?"
    assert listed[WHY]["pages"] == len(shelf()[WHY].pages)


def test_a_workshop_is_opened_from_a_course(alice, bob):
    code = opened(alice, course=WHY)
    pages = len(shelf()[WHY].pages)
    assert room(alice, code)["deck"] == at(0, pages)
    join(bob, code)
    deck = bob.get(f"{BASE}/{code}/deck").json()
    assert len(deck["pages"]) == pages
    assert deck["pages"][0]["blocks"][0]["type"] == "html"


def test_an_unknown_course_is_named(alice):
    wanted = {"title": "F", "name": "L", "course": "../etc"}
    told = alice.post(BASE, wanted, content_type=JSON)
    assert told.status_code == 422
    assert told.json()["error"]["input"] == "course"
    assert WHY in told.json()["error"]["remedy"]


def test_a_workshop_without_a_deck_says_so(code, bob, alice):
    assert room(bob, code)["deck"] is None
    for answer in (bob.get(f"{BASE}/{code}/deck"), turn(alice, code, 0)):
        assert answer.status_code == 404
        assert answer.json()["error"]["message"] == "This workshop has no deck."


def test_the_leader_turns_the_pages_and_all_are_told(code, alice, bob):
    upload(alice, code, zipped(FILES))
    assert turn(alice, code, 1).status_code == 200
    assert room(bob, code)["deck"] == at(1, 2, turns=1)
    assert turn(bob, code, 0).status_code == 403


def test_all_are_told_whether_the_leader_went_to_the_deck_last(code, alice, bob):
    upload(alice, code, zipped(FILES))
    change(alice, code, locked=True)
    assert room(bob, code)["deck"] == at(0, 2)
    change(alice, code, place=f"/r/{'a' * 24}")
    assert room(bob, code)["deck"] == at(0, 2, latest=False)
    turn(alice, code, 0)
    assert room(bob, code)["deck"] == at(0, 2, turns=1)
    # What else comes into sight there is no other place.
    change(alice, code, place=f"/r/{'a' * 24}#at=source.3&text=k0")
    assert room(bob, code)["deck"] == at(0, 2, turns=1)
    change(alice, code, place=f"/r/{'a' * 24}#nodes=1&at=source.3")
    assert room(bob, code)["deck"] == at(0, 2, turns=1, latest=False)
    # But a person who goes to what was there before.
    turn(alice, code, 1)
    change(alice, code, place=f"/r/{'a' * 24}#nodes=1&at=source.3&went=2")
    assert room(bob, code)["deck"] == at(1, 2, turns=2, latest=False)


def test_another_course_is_another_edition_opened_at_its_first_page(code, alice, bob):
    upload(alice, code, zipped(FILES))
    turn(alice, code, 1)
    upload(alice, code, zipped(files(**{"03-more.md": "# More"})))
    assert room(bob, code)["deck"] == at(0, 3, edition=2, turns=1)


LIVE = files(**{"03-live.md": "# Live\n\nRead.\n\n```python edit\nx = 1\n```\n"})


def show(person, code, place, run):
    return person.put(f"{BASE}/{code}/deck/{place}", {"run": run}, content_type=JSON)


def test_what_the_leader_runs_in_a_block_is_told_to_all(code, alice, bob, make_run):
    upload(alice, code, zipped(LIVE))
    first, second = make_run(), make_run()
    for run in (first, second):
        assert show(alice, code, "2/1", run.pk).status_code == 200
        assert room(bob, code)["deck"] == at(0, 3, ran={"2 1": run.pk})
    assert show(bob, code, "2/1", first.pk).status_code == 403
    # Of another course they are other blocks.
    upload(alice, code, zipped(LIVE))
    assert room(bob, code)["deck"]["ran"] == {}


@pytest.mark.parametrize("place", ["2/0", "2/2", "1/0", "3/0", f"{10**30}/0"])
def test_nothing_is_run_in_a_block_of_text(code, alice, make_run, place):
    upload(alice, code, zipped(LIVE))
    assert show(alice, code, place, make_run().pk).status_code == 404


@pytest.mark.parametrize("run", ["", "x", None, 3])
def test_a_run_in_a_block_is_one_that_there_is(code, alice, run):
    upload(alice, code, zipped(LIVE))
    assert show(alice, code, "2/1", run).status_code == 422


@pytest.mark.parametrize("page", [2, -1, 1.5, True, None, "1", 10**30])
def test_there_is_no_such_page(code, alice, page):
    upload(alice, code, zipped(FILES))
    told = turn(alice, code, page)
    assert told.status_code == 422
    assert told.json()["error"]["input"] == "page"


def exercises(person, code):
    listed = person.get(f"{BASE}/{code}/exercises").json()["exercises"]
    return [each["name"] for each in listed]


def test_the_exercises_of_a_course_are_the_workshops_in_the_order_of_the_deck(alice):
    code = opened(alice, course=WHY)
    assert exercises(alice, code) == [each.name for each in shelf()[WHY].exercises]


def test_another_course_brings_its_exercises_and_leaves_what_the_leader_added(code, alice):
    upload(alice, code, zipped(FILES))
    kept = {"toml": FILES["exercises/one-kernel/exercise.toml"], "start": "x = 1"}
    alice.put(f"{BASE}/{code}/exercises/mine", kept, content_type=JSON)
    one = "exercises/one-kernel"
    other = {path.replace(one, "exercises/two"): text for path, text in FILES.items()}
    other["02-softmax.md"] = "# Two\n\n```fuselab exercise=two\n```\n"
    assert upload(alice, code, zipped(other)).status_code == 200
    assert exercises(alice, code) == ["mine", "two"]


def test_a_leaders_own_course_goes_in_and_comes_out_as_it_was(code, alice):
    assert upload(alice, code, zipped(FILES, "mine/")).status_code == 200
    answer = alice.get(f"{BASE}/{code}/course.zip")
    assert answer.headers["Content-Type"] == "application/zip"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert unpacked(answer.content) == FILES


def own(person, code, name, start="x = 1"):
    """Puts an exercise of the leader's own into a workshop."""
    held = {"toml": FILES["exercises/one-kernel/exercise.toml"], "start": start}
    told = person.put(f"{BASE}/{code}/exercises/{name}", held, content_type=JSON)
    assert told.status_code == 204, told.content


def exported(person, code):
    answer = person.get(f"{BASE}/{code}/course.zip")
    assert answer.status_code == 200, answer.content
    return answer.content


# What a leader has done in a room, by the call that does it.
DONE = {
    "nothing but a course": [("course", FILES)],
    "an exercise beside a course": [("course", FILES), ("own", "mine")],
    "one in the place of the course's": [("course", FILES), ("own", "one-kernel")],
    "one of the course's taken away": [("course", FILES), ("own", "b"), ("gone", "one-kernel")],
    "exercises alone": [("own", "warm-up"), ("own", "a-last-one")],
    "a text of another system": [("own", "mine", "x = 1\r\ny = 2\r\n")],
}


@pytest.mark.parametrize("done", DONE.values(), ids=[*DONE])
def test_another_room_that_is_given_what_one_exports_is_the_same_room(alice, done):
    code, other = opened(alice), opened(alice, title="Another")
    for what, *said in done:
        if what == "course":
            upload(alice, code, zipped(*said))
        elif what == "own":
            own(alice, code, *said)
        else:
            alice.delete(f"{BASE}/{code}/exercises/{said[0]}")
    content = exported(alice, code)
    answer = upload(alice, other, content)
    assert answer.status_code == 200, answer.content
    assert exported(alice, other) == content
    assert answer.json()["deck"] == (at(0, 2) if ("course", FILES) in done else None)
    assert exercises(alice, other) == exercises(alice, code)
    # No page asks for what was taken away.
    shown = alice.get(f"{BASE}/{other}/deck").json().get("pages", [])
    named = {block["name"] for page in shown for block in page["blocks"] if "name" in block}
    assert named <= {*exercises(alice, other)}


def test_what_the_leader_changed_is_in_what_is_exported(code, alice):
    upload(alice, code, zipped(FILES))
    own(alice, code, "one-kernel", "x = 3")
    own(alice, code, "mine")
    found = unpacked(exported(alice, code))
    assert found["exercises/one-kernel/start.py"] == "x = 3"
    assert found["exercises/mine/start.py"] == "x = 1"
    assert "exercises/one-kernel/answer.py" not in found


def test_a_room_of_exercises_alone_has_no_deck(code, alice):
    own(alice, code, "mine")
    upload(alice, code, exported(alice, code))
    for answer in (alice.get(f"{BASE}/{code}/deck"), turn(alice, code, 0)):
        assert answer.status_code == 404
    own(alice, code, "two")
    assert "exercises/two/start.py" in unpacked(exported(alice, code))


def test_a_room_with_nothing_in_it_has_nothing_to_export(code, alice):
    told = alice.get(f"{BASE}/{code}/course.zip")
    assert told.status_code == 404
    assert told.json()["error"]["message"] == "This workshop has neither a deck nor exercises."


def test_a_course_for_whose_exercises_there_is_no_room_changes_nothing(code, alice):
    upload(alice, code, zipped(FILES))
    for number in range(MOST - 1):
        own(alice, code, f"own-{number}")
    one = FILES["exercises/one-kernel/exercise.toml"]
    more = {"exercises/two/exercise.toml": one, "exercises/two/start.py": "x = 1"}
    told = upload(alice, code, zipped(files(**more)))
    assert told.status_code == 422 and told.json()["error"]["message"].startswith("There are 30")
    assert "exercises/two/start.py" not in unpacked(exported(alice, code))
    assert room(alice, code)["deck"] == at(0, 2)


def test_a_course_that_ships_can_be_taken_as_a_beginning(bob):
    answer = bob.get(f"/api/v1/courses/{WHY}/course.zip")
    assert unpacked(answer.content) == shelf()[WHY].files
    assert bob.get("/api/v1/courses/..%2Fx/course.zip").status_code == 404


def test_a_course_that_is_wrong_leaves_the_one_that_was_there(code, alice):
    upload(alice, code, zipped(FILES))
    told = upload(alice, code, zipped(files(**{"course.toml": None})))
    assert told.status_code == 422
    assert told.json()["error"]["input"] == "course.toml"
    assert Deck.objects.get().pages == 2


def test_answers_are_the_leaders_alone(code, alice, bob):
    upload(alice, code, zipped(FILES))
    for answer in (bob.get(f"{BASE}/{code}/course.zip"), upload(bob, code, zipped(FILES))):
        assert answer.status_code == 403
    assert "return x + 2" not in bob.get(f"{BASE}/{code}/deck").content.decode()


def test_outsiders_see_no_deck(code, alice, client):
    upload(alice, code, zipped(FILES))
    assert client.get(f"{BASE}/{code}/deck").status_code == 403


def test_the_link_is_drawn_for_whoever_has_the_code(code, client):
    answer = client.get(f"{BASE}/{code}/qr.svg")
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.content.startswith(b"<?xml") and b"<svg" in answer.content
    assert client.get(f"{BASE}/2222-2222/qr.svg").status_code == 404
