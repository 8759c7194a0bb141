"""Outputs of a text are held against those of the reference, over the same numbers."""

import gzip

import pytest

from compiler_core import report
from tests.webapp.conftest import SOURCE
from tests.webapp.workshops.exercises.asked import CALL, stored, toml, tried
from tests.webapp.workshops.exercises.steps import attempt, end, given, listed, put, refusal
from tests.webapp.workshops.people import BASE, JSON, change, join, room
from webapp.runs import frozen, texts
from webapp.runs.models import Run, RunText
from webapp.workshops.exercises import attempts
from webapp.workshops.exercises.models import Attempt, Exercise

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]


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
        (
            "softmax",
            "2.0",
            "Over hidden inputs it is not the reference: a value is 2 where the reference has 1, c",
        ),
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
