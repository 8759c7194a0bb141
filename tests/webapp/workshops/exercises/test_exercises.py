"""The API of exercises: put there, tried, hinted at, and the board."""

import pytest

from compiler_core.report import Failure
from tests.webapp.conftest import SOURCE
from tests.webapp.workshops.courses.samples import files, zipped
from tests.webapp.workshops.exercises.asked import stored, toml, tried
from tests.webapp.workshops.exercises.steps import ONE, attempt, end, listed, put, refusal
from tests.webapp.workshops.people import BASE, change, join, opened, room
from webapp.workshops.exercises import attempts
from webapp.workshops.exercises.models import Attempt

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]


def test_an_exercise_is_shown_without_answer_and_hints(code, alice, bob):
    put(alice, code, answer="ANSWER", reference="REFERENCE",
        toml=ONE.replace("[[check]]", 'hints = ["HINT"]\n[[check]]', 1))  # fmt: skip
    answer = bob.get(f"{BASE}/{code}/exercises")
    assert not any(word in answer.content.decode() for word in ("ANSWER", "REFERENCE", "HINT"))
    [seen] = answer.json()["exercises"]
    assert seen["title"] == "One kernel" and seen["start"] == "def softmax(x): ...\n"
    assert seen["wants"] == ["at most 1 kernel", "no graph break"]
    assert (seen["hints"], seen["opened"], seen["attempts"], seen["last"]) == (1, [], 0, None)
    assert room(bob, code)["exercises"] == 1


def test_a_failed_check_says_why_and_a_passed_one_is_kept(softmax, code, bob, done):
    made = attempt(bob, softmax, done(bob, "two_kernels")).json()
    assert [each["passed"] for each in made["results"]] == [False, True]
    assert made["results"][0]["says"].startswith('2 kernels: "exponential" was not fused with')
    assert attempt(bob, softmax, done(bob, "softmax")).json()["passed"]
    attempt(bob, softmax, done(bob, "two_kernels"))
    [seen] = listed(bob, code)
    assert (seen["attempts"], seen["passed"], seen["last"]["passed"]) == (3, True, False)


def test_the_same_run_is_checked_once(softmax, code, bob, done):
    run = done(bob, "softmax")
    assert attempt(bob, softmax, run).json() == attempt(bob, softmax, run).json()
    assert listed(bob, code)[0]["attempts"] == 1


def test_a_run_is_checked_that_is_ones_own(softmax, alice, bob, done):
    assert "of yours" in refusal(attempt(bob, softmax, done(alice, "softmax")), 404)["message"]
    assert refusal(attempt(bob, softmax, "x"), 404)["input"] == "run"
    assert not Attempt.objects.exists()


def test_a_run_that_goes_on_is_judged_when_it_has_ended(softmax, code, bob, asked_by, make_run):
    asked = tried("softmax", SOURCE)
    run = asked_by(bob, make_run(options=asked))
    made = attempt(bob, softmax, run.pk).json()
    assert (made["passed"], made["pending"], made["ahead"]) == (False, True, 0)
    assert {each["says"] for each in made["results"]} == {"Its run has not ended yet."}
    attempts.look()
    assert listed(bob, code)[0]["last"]["pending"]
    end(run, stored("softmax"), {})
    attempts.look()
    [seen] = listed(bob, code)
    assert (seen["attempts"], seen["passed"]) == (1, True)


def test_an_attempt_whose_run_is_deleted_ends(softmax, code, bob, asked_by, make_run):
    run = asked_by(bob, make_run(options=tried("softmax", SOURCE)))
    attempt(bob, softmax, run.pk)
    run.delete()
    attempts.look()
    last = listed(bob, code)[0]["last"]
    assert (last["passed"], last["pending"]) == (False, False)
    assert last["results"][0]["says"] == "The run is gone, check another one."


def test_signs_of_a_run_that_are_not_seen_are_kept_by_their_numbers(
    softmax, bob, asked_by, make_run
):
    whole, run = stored("softmax"), asked_by(bob, make_run(options=tried("softmax", SOURCE)))
    whole.programs[0].error = Failure("run", "Error: a\0b\u202e")
    end(run, whole, {})
    made = attempt(bob, softmax, run.pk).json()
    assert {each["says"] for each in made["results"]} == {
        '"softmax" failed at run: Error: a<U+0000>b<U+202E>.'
    }


def test_what_a_check_saw_is_a_sentence_however_long_names_are(softmax, bob, asked_by, make_run):
    """Else an attempt takes a MiB of nobody's room, and each seat has two hundred."""
    whole, run = stored("softmax"), asked_by(bob, make_run(options=tried("softmax", SOURCE)))
    whole.programs[0].name = "\u202e" * 60_000
    whole.programs[0].error = Failure("run", "Error.")
    end(run, whole, {})
    results = attempt(bob, softmax, run.pk).json()["results"]
    assert all(len(each["says"]) <= attempts.LONGEST for each in results)


def test_a_hint_is_opened_and_counted(softmax, code, bob):
    assert bob.post(f"{softmax}/hints/1").json() == {
        "number": 1, "text": "<p>Look at <code>exp</code>.</p>\n",
    }  # fmt: skip
    bob.post(f"{softmax}/hints/1")
    assert listed(bob, code)[0]["opened"] == ["<p>Look at <code>exp</code>.</p>\n"]
    assert refusal(bob.post(f"{softmax}/hints/3"), 404)["remedy"] == "Choose one of 1 to 2."


def test_markup_in_an_exercise_is_text(code, alice, bob):
    put(alice, code, toml=toml("kernels at_most=1", text="<script>x</script> [a](javascript:x)"))
    assert "&lt;script&gt;" in listed(bob, code)[0]["text"]
    assert "<a" not in listed(bob, code)[0]["text"]


def test_the_leader_changes_and_removes_an_exercise(softmax, code, alice, bob, done):
    attempt(bob, softmax, done(bob, "softmax"))
    put(alice, code, "layer-norm")
    put(alice, code, toml=toml("kernels at_most=2", title="Two"))
    assert [each["title"] for each in listed(bob, code)] == ["Two", "One kernel"]
    # What was asked is another thing now.
    assert listed(bob, code)[0]["attempts"] == 0
    assert alice.delete(softmax).status_code == 204
    assert [each["name"] for each in listed(bob, code)] == ["layer-norm"]
    refusal(alice.delete(softmax), 404)


@pytest.mark.parametrize(
    ("name", "files", "named"),
    [
        ("Soft max", {}, "name"),
        ("softmax", {"toml": "title ="}, "toml"),
        ("softmax", {"toml": toml("kernals at_most=1")}, "exercise.toml:check[0].kind"),
        ("softmax", {"start": " "}, "start"),
        ("softmax", {"answer": "x = 1\n" * 9000}, "answer"),
        ("softmax", {"hints": []}, "hints"),
        ("softmax", {"start": None}, "start"),
    ],
)
def test_an_exercise_that_cannot_be_taken_is_refused_in_a_sentence(code, alice, name, files, named):
    told = refusal(put(alice, code, name, **files), 422)
    assert told["input"] == named
    assert told["message"].endswith(".") and told["remedy"]


def test_only_leaders_put_exercises_and_only_seats_see_them(softmax, code, bob, client):
    refusal(put(bob, code), 403)
    refusal(bob.delete(softmax), 403)
    refusal(client.get(f"{BASE}/{code}/exercises"), 403)
    refusal(attempt(client, softmax, "x"), 403)


def test_the_board_is_off_until_the_leader_shows_it(softmax, code, alice, bob):
    assert refusal(bob.get(f"{BASE}/{code}/board"), 403)["message"] == "The board is off."
    assert alice.get(f"{BASE}/{code}/board").status_code == 200
    change(alice, code, board=True)
    assert room(bob, code)["board"]
    assert bob.get(f"{BASE}/{code}/board").status_code == 200


def test_the_board_is_by_checks_passed_and_then_by_speed(softmax, code, alice, bob, client, done):
    join(client, code, "Kim")
    change(alice, code, board=True)
    attempt(bob, softmax, done(bob, "softmax"))
    attempt(client, softmax, done(client, "two_kernels"))
    lines = bob.get(f"{BASE}/{code}/board").json()["seats"]
    assert [(line["name"], line["checks"], line["of"]) for line in lines] == [
        ("Sam", 2, 2), ("Kim", 1, 2),
    ]  # fmt: skip
    attempt(client, softmax, done(client, "measured"))
    first, second = bob.get(f"{BASE}/{code}/board").json()["seats"]
    assert (first["name"], round(first["speedup"], 2)) == ("Kim", 2.43)
    assert (second["name"], second["speedup"]) == ("Sam", None)


def test_the_wall_has_what_runs_came_to_and_exercises_passed(softmax, code, alice, bob, done):
    run = done(bob, "measured")
    change(bob, code, "/seat", run=run)
    attempt(bob, softmax, run)
    lena, sam = room(alice, code)["seats"]
    assert "7 → 1 launch; core 2.43x [1.84, 3.32] faster" in sam["run"]["verdict"]
    assert (lena["passed"], sam["passed"]) == (0, 1)
    assert room(bob, code)["seats"][0]["passed"] is None


def test_a_course_brings_its_exercises_and_another_takes_them_away(alice):
    code = opened(alice, course="why-not-faster")
    put(alice, code, "own")
    there = [each["name"] for each in listed(alice, code)]
    assert "softmax-one-kernel" in there and len(there) == 9
    change_course(alice, code, files())
    assert [each["name"] for each in listed(alice, code)] == ["own", "one-kernel"]


def test_a_course_with_an_exercise_that_cannot_be_read_is_refused(code, alice):
    wrong = files(**{"exercises/one-kernel/exercise.toml": toml("kernals at_most=1")})
    told = refusal(change_course(alice, code, wrong), 422)
    assert told["message"].startswith("exercises/one-kernel: exercise.toml, check[0].kind: ")
    assert told["input"] == "exercises/one-kernel"


def change_course(person, code, held):
    address = f"{BASE}/{code}/course.zip"
    return person.put(address, zipped(held), content_type="application/zip")
