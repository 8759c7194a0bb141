"""The API of exercises: put there, tried, hinted at, and the board."""

import gzip

import msgspec
import pytest

from compiler_core import report
from tests.webapp.conftest import SOURCE
from tests.webapp.workshops.courses.samples import files, zipped
from tests.webapp.workshops.exercises.asked import CALL, stored, toml, tried
from tests.webapp.workshops.people import BASE, JSON, change, join, opened, room
from webapp.runs import frozen, texts
from webapp.runs.models import Run, RunText
from webapp.workshops.exercises import attempts
from webapp.workshops.exercises.models import Attempt, Exercise

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]

ONE = toml("kernels at_most=1", "graph_breaks at_most=0")


@pytest.fixture
def code(alice, bob):
    made = opened(alice)
    join(bob, made)
    return made


@pytest.fixture
def softmax(code, alice):
    """The address of an exercise that is there."""
    text = ONE.replace("[[check]]", 'hints = ["Look at `exp`.", "One pass."]\n[[check]]', 1)
    assert put(alice, code, toml=text).status_code == 204
    return f"{BASE}/{code}/exercises/softmax"


@pytest.fixture
def done(asked_by, make_run):
    """A run that a person's Check has asked for, with these options otherwise, and that is done
    with this report."""

    def run_of(person, name, outputs=None, **changed):
        asked = tried("softmax", SOURCE)
        run = asked_by(person, make_run(options=asked | changed))
        end(run, stored(name), outputs or {}, asked["inputs"])
        return run.pk

    return run_of


def end(run, whole, outputs, call=CALL):
    for each in whole.programs:
        each.outputs, each.called = outputs, call
    options = msgspec.convert(run.options, report.Options)
    frozen.freeze(run.pk, msgspec.structs.replace(whole, options=options))
    Run.objects.filter(pk=run.pk).update(state="done")


def given(value):
    """Of both the outputs for one set of inputs, of one element."""
    return {name: [[report.Sample([1], [value])]] for name in ("eager", "core")}


def put(person, code, name="softmax", **files):
    body = {"toml": ONE, "start": "def softmax(x): ...\n"} | files
    return person.put(f"{BASE}/{code}/exercises/{name}", body, content_type=JSON)


def listed(person, code):
    return person.get(f"{BASE}/{code}/exercises").json()["exercises"]


def attempt(person, address, run):
    return person.post(f"{address}/attempts", {"run": run}, content_type=JSON)


def refusal(answer, status):
    assert answer.status_code == status, answer.content
    return answer.json()["error"]


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


def test_outputs_are_compared_with_those_of_the_reference_over_the_same_numbers(
    code, alice, bob, done, living_worker
):
    wanted = toml("kernels at_most=1", "equal")
    assert refusal(put(alice, code, toml=wanted), 422)["input"] == "reference"
    put(alice, code, toml=wanted, reference="import torch\nsoftmax = torch.softmax\n")
    address, run = f"{BASE}/{code}/exercises/softmax", done(bob, "softmax", given("2.0"))
    made = attempt(bob, address, run).json()
    assert (made["passed"], made["pending"]) == (False, True)
    # Who waits sees their place.
    assert (made["ahead"], made["wait_s"]) == (0, None)
    mine, reference = Run.objects.get(pk=run), Run.objects.exclude(pk=run).get()
    assert reference.source == "import torch\nsoftmax = torch.softmax\n"
    # They are as each other, and nothing tells the run that is compared from the one that counts.
    for name in ("inputs", "seed"):
        assert reference.options[name] == mine.options[name]
    # Nobody is given the reference's run, neither in a list, nor on the wall, nor in texts.
    assert len(bob.get("/api/v1/runs").json()["runs"]) == 1
    assert (mine.options["target"], reference.options["target"]) == ("auto", "none")
    assert attempt(bob, address, run).json()["pending"]
    end(reference, stored("softmax"), given("1.0"))
    made = attempt(bob, address, run).json()
    assert (made["passed"], made["pending"], made["ahead"]) == (False, False, None)
    assert made["results"][1]["says"] == (
        "Over hidden inputs it is not the reference: a value is 2 where the reference has 1."
    )


@pytest.mark.usefixtures("living_worker")
def test_what_was_solved_counts_though_its_page_is_gone_and_another_attempt_failed(
    code, alice, bob, done
):
    change(alice, code, board=True)
    put(alice, code, toml=toml("kernels at_most=1", "equal"), reference="import torch\n")
    address, right = f"{BASE}/{code}/exercises/softmax", done(bob, "softmax", given("1.0"))
    assert attempt(bob, address, right).json()["pending"]
    reference = Run.objects.exclude(pk=right).get()
    attempts.look()
    assert not listed(bob, code)[0]["passed"]
    wrong = done(bob, "two_kernels", given("1.0"))
    assert not attempt(bob, address, wrong).json()["passed"]
    end(reference, stored("softmax"), given("1.0"))
    attempts.look()
    [seen] = listed(bob, code)
    assert (seen["attempts"], seen["passed"], seen["last"]["passed"]) == (2, True, False)
    assert room(alice, code)["seats"][1]["passed"] == 1
    [line] = alice.get(f"{BASE}/{code}/board").json()["seats"]
    assert (line["exercises"], line["checks"]) == (1, 2)
    assert not Attempt.objects.filter(is_open=True).exists()


IR = """graph softmax(%0: f32[256,512]) {
  %1 = exponential(%0) : f32[256,512]
  return %1
}
"""


def captured(run, ir):
    """A person's run is over that is said to have captured this."""
    whole, contents = stored("softmax"), {}
    text = texts.refer(report.Artifact("ir", "ir", "fuselab", ir), contents)
    for sha256, content in contents.items():
        RunText.objects.create(run=run, sha256=sha256, content=gzip.compress(content))
    whole.programs[0].stages = [report.Stage("capture", "ok", 1.0, [text], "capture")]
    end(run, whole, given("1.0"))


@pytest.mark.parametrize(
    ("by_itself", "value", "says"),
    [
        (
            "softmax",
            "1.0",
            "Over 1 sets of hidden inputs it is equal to the reference, compiled by",
        ),
        ("softmax", "2.0", "Over hidden inputs it is by itself, apart from your text, not the ref"),
        ("two_kernels", "1.0", "Compiled by itself, apart from your text, it has other figures: 2"),
    ],
)
@pytest.mark.usefixtures("living_worker")
def test_a_program_is_compiled_by_itself_on_numbers_that_its_text_never_had(
    code, alice, bob, asked_by, make_run, by_itself, value, says
):
    put(alice, code, toml=toml("kernels at_most=1", "equal"), reference="import torch\n")
    asked = tried("softmax", SOURCE)
    run = asked_by(bob, make_run(options=asked))
    captured(run, IR)
    address = f"{BASE}/{code}/exercises/softmax"
    assert attempt(bob, address, run.pk).json()["pending"]
    alone = Run.objects.get(source__contains="parse(")
    reference = Run.objects.get(source="import torch\n")
    assert SOURCE not in alone.source and "exponential" in alone.source
    assert alone.options["seed"] == reference.options["seed"] != asked["seed"]
    end(reference, stored("softmax"), given("1.0"))
    assert attempt(bob, address, run.pk).json()["pending"]
    end(alone, stored(by_itself), given(value))
    made = attempt(bob, address, run.pk).json()
    assert made["results"][1]["says"].startswith(says), made
    assert made["passed"] == says.startswith("Over 1")


@pytest.mark.parametrize("other", ["f32[256,512], %1: f32[512]", "f32[8,512]"])
def test_a_program_of_other_tensors_than_the_calls_is_compared_as_its_text_ran(
    code, alice, bob, asked_by, make_run, living_worker, other
):
    put(alice, code, toml=toml("kernels at_most=1", "equal"), reference="import torch\n")
    asked = tried("softmax", SOURCE)
    run = asked_by(bob, make_run(options=asked))
    captured(run, IR.replace("f32[256,512])", f"{other})"))
    assert attempt(bob, f"{BASE}/{code}/exercises/softmax", run.pk).json()["pending"]
    reference = Run.objects.exclude(pk=run.pk).get()
    assert reference.options["seed"] == asked["seed"]


def test_a_text_is_run_as_the_exercise_calls_it_on_numbers_that_follow_from_it(
    softmax, code, bob, client, living_worker
):
    join(client, code, "Kim")
    body = {"source": "def softmax(x): return x", "editor": "e1"}

    def run_of(person, **changed):
        answer = person.post(f"{softmax}/runs", body | changed, content_type=JSON)
        assert answer.status_code == 201, answer.content
        return Run.objects.get(pk=answer.json()["id"])

    first = run_of(bob)
    assert first.options["inputs"] == CALL and not first.options["measure"]
    # Of many people with one text it is one run; who changes it has other numbers.
    assert run_of(client).pk == first.pk
    other = run_of(bob, source="def softmax(x): return x # twice")
    assert other.options["seed"] != first.options["seed"]
    # Each is an attempt already, that whoever comes back finds.
    [seen] = listed(bob, code)
    assert (seen["attempts"], seen["last"]["pending"], seen["last"]["runs"]) == (2, True, True)
    assert listed(client, code)[0]["attempts"] == 1


def test_a_run_of_other_sizes_numbers_or_decisions_is_not_the_one(softmax, bob, done):
    for otherwise, says in (
        ({"inputs": "softmax(f32[8,8])"}, "called with softmax(f32[8,8]), and the exercise is abo"),
        ({"inputs": ""}, "called as the text itself does, and the exercise is about softmax(f32["),
        ({"seed": 1}, "made with other options than the exercise's: press Check."),
        ({"overrides": [{"type": "without", "name": "x"}]}, "made with other options than the"),
    ):
        made = attempt(bob, softmax, done(bob, "softmax", **otherwise)).json()
        assert not made["passed"]
        assert {each["says"] for each in made["results"] if says in each["says"]}, made
    # It may have more than is asked for.
    assert attempt(bob, softmax, done(bob, "softmax", measure=True)).json()["passed"]


def test_an_exercise_of_a_form_that_is_read_no_more_says_so(softmax, code, bob, done):
    run = done(bob, "softmax")
    Exercise.objects.update(toml=toml("kernels at_most=1").replace("call", "program"))
    [seen] = listed(bob, code)
    assert "cannot be checked" in seen["text"] and seen["call"] == "" and not seen["passed"]
    assert "Say which call" in refusal(attempt(bob, softmax, run), 422)["remedy"]
    body = {"source": "x = 1"}
    refusal(bob.post(f"{softmax}/runs", body, content_type=JSON), 422)


def test_what_is_compiled_again_is_seen_by_a_run_that_calls_it(
    code, alice, bob, done, living_worker
):
    over = 'recompiles at_most=0 function="scaled" over=["f32[2],2.0","f32[2],3.0"]'
    put(alice, code, toml=toml("kernels at_most=9", over))
    address, run = f"{BASE}/{code}/exercises/softmax", done(bob, "number_that_changes")
    assert attempt(bob, address, run).json()["pending"]
    made = Run.objects.exclude(pk=run).get()
    assert made.options["insides"] == ["dynamo"] and not made.options["measure"]
    frozen.freeze(made.pk, stored("number_that_changes_looked_into"))
    Run.objects.filter(pk=made.pk).update(state="done")
    told = attempt(bob, address, run).json()
    assert (told["passed"], told["pending"]) == (False, False)
    assert told["results"][1] == {
        "wants": 'no recompile over 2 calls of "scaled"', "passed": False, "pending": False,
        "says": 'Over 2 calls of "scaled": 1 recompile: scaled is compiled again: factor was 2 and '
        "is 3.",
    }  # fmt: skip


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
