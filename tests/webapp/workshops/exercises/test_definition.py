"""exercise.toml: what is wrong with one is said in a sentence."""

import pytest

from tests.webapp.workshops.exercises.asked import toml
from webapp.errors import Refusal
from webapp.workshops.exercises import definition

WRONG = [
    ("title =", "exercise.toml is not TOML: ", "Put texts in quotes"),
    ("x = " + "[" * 9000, "exercise.toml is not TOML: it is nested too deep.", "Put texts"),
    ("x = 1" + "0" * 5000, "exercise.toml is not TOML: it holds a number of too many", "Put texts"),
    ("x" * 40_000, "exercise.toml is longer than 32,768 bytes.", "Cut its texts down."),
    ('title = "T"\ncall = "f(f32[8])"', 'exercise.toml: missing required field "text".',
     "An exercise has"),
    (toml(call=""), "exercise.toml, call: expected ", "An exercise has"),
    (toml("kernels at_most=1").replace("call", "#"), 'exercise.toml: missing required field "call"',
     "Say which call the checks are about, as in call = "),
    (toml("kernels at_most=1", call="f32[8]"), "exercise.toml, call: say what is called with what",
     "Write it as call = "),
    (toml("kernels at_most=1", call="f(f32[8)"), "exercise.toml, call: ", "Write it as call = "),
    (toml("recompiles at_most=1"), 'exercise.toml, check[0]: missing required field "function"',
     "Write it as kind"),
    (toml(), 'exercise.toml: missing required field "check".', "An exercise has"),
    (toml("kernels"), 'exercise.toml, check[0]: missing required field "at_most".',
     'Write it as kind = "kernels", at_most = 1.'),
    (toml("kernels at_most=-1"), "exercise.toml, check[0].at_most: expected ", "Write it as kind"),
    (toml('kernels at_most="two"'), 'exercise.toml, check[0].at_most: expected "int", got "str".',
     "Write it as kind"),
    (toml("kernels at_most=1 least=3"), 'exercise.toml, check[0]: contains unknown field '
     '"least".', "Write it as kind"),
    (toml("kernels at_most=1", "kernals at_most=1"), 'exercise.toml, check[1].kind: invalid value '
     "'kernals'.", "Its kind is one of kernels, graph_breaks,"),
    (toml("kernels at_most=1 compiler=\"gcc\""), "exercise.toml, check[0].compiler: invalid enum "
     "value 'gcc'.", "Write it as kind"),
    (toml("kernels at_most=1", hint="look"), 'exercise.toml: contains unknown field "hint".',
     "An exercise has title, text, call, check, hints"),
    (toml("kernels at_most=1", text="![" * 3000), "exercise.toml: its text and hints have 6,000 ",
     "Cut them down: an exercise has at most 4,000."),
    (toml("kernels at_most=1", title=""), "exercise.toml, title: expected ", "An exercise has"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "remedy"), WRONG)
def test_a_mistake_names_file_field_and_remedy(text, message, remedy):
    refusal = definition.read(text)
    assert isinstance(refusal, Refusal)
    assert refusal.message.startswith(message), refusal.message
    assert refusal.remedy.startswith(remedy), refusal.remedy
    assert refusal.message.endswith(".") and refusal.remedy.endswith(".")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ('function = "f"\nover = ["f32[8"]', "the list of dimensions"),
        ('function = "f"\nover = ["f(f32[8])"]', "give the arguments of one call"),
        ('function = "f"\nover = ["bf16[8]"]', "give tensors of"),
        ('function = "f"\nover = ["f32[9999,9999]"]', "take at most 1,048,576 elements."),
    ],
)
def test_calls_that_cannot_be_made_are_refused(fields, told):
    refusal = definition.read(toml("recompiles at_most=0") + fields + "\n")
    assert isinstance(refusal, Refusal)
    assert refusal.message.startswith("exercise.toml, check[0].over: ")
    if "dimensions" not in told:
        assert told in refusal.message
