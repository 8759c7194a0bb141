"""Outputs over hidden inputs, held against those of the reference."""

import json
import re

import pytest

from tests.webapp.workshops.exercises.asked import toml
from webapp.errors import Refusal
from webapp.workshops.exercises import definition, hidden
from webapp.workshops.exercises.hidden import Output

RIGHT = [[Output([2, 2], [1.0, 2.0, float("nan")]), Output([], [3.0])]]


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        (RIGHT, ""),
        ([[Output([2, 2], [1.0, 2.0001, float("nan")]), RIGHT[0][1]]], ""),
        (
            [[Output([2, 2], [1.0, 2.1, float("nan")]), RIGHT[0][1]]],
            "in output 0, a value is 2.1 where the reference has 2",
        ),
        (
            [[Output([2, 2], [1.0, 2.0, 0.0]), RIGHT[0][1]]],
            "in output 0, a value is 0 where the reference has nan",
        ),
        (
            [[Output([4], [1.0, 2.0, float("nan")]), RIGHT[0][1]]],
            "in output 0, the shape is [4], and the reference's [2, 2]",
        ),
        ([[RIGHT[0][0]]], "it gives 1 outputs, and the reference 2"),
        ([*RIGHT, *RIGHT], "it was not called as often as the reference"),
        ([[Output([2, 2], [1.0]), RIGHT[0][1]]], "in output 0, there are not as many values as in"),
    ],
)
def test_where_outputs_differ_is_said(outputs, told):
    assert hidden.difference(outputs, RIGHT, 1e-4).startswith(told)
    assert bool(hidden.difference(outputs, RIGHT, 1e-4)) == bool(told)


def mark_of(source):
    """What the outputs are printed behind."""
    return re.search(r"print\('(outputs \w+: )'", source)[1]


def test_what_was_printed_is_read_and_nothing_else():
    source = hidden.snippet("def f(x): return x", "1 f", "f", "f32[2]", "import torch")
    told = json.dumps([[[[2, 2], [1.0]]]])
    assert hidden.outputs(f"hello\n{mark_of(source)}{told}\n", "1 f") == [[Output([2, 2], [1.0])]]
    for printed in (
        "",
        told,
        f"{mark_of(source)}[[1]]",
        f"{mark_of(source)}[",
        f"outputs 1: {told}",
    ):
        assert hidden.outputs(printed, "1 f") is None


def test_the_inputs_are_another_exercises_own():
    def seed(key):
        return hidden.snippet("", key, "f", "f32[2]", "").splitlines()[3]

    assert seed("1 f") == seed("1 f") != seed("2 f")


def test_what_is_run_is_a_program_whatever_the_snippet_is():
    for source in (
        "",
        "'''",
        'x = """\\"""\n{nothing} %s',
        "\udcff".encode("utf-8", "replace").decode(),
    ):
        composed = hidden.snippet(source, "1 f", "f", "f32[33,100], i64[], bool[4]", "")
        compile(composed, "<composed>", "exec")


UNMADE = (
    "f32[", "8", "f(f32[2])", "f32[2]; f32[2]", "bf16[2]", "f32[2]~normal", "f32[9999,9999]",
    "x=f32[2]", " ",
)  # fmt: skip


@pytest.mark.parametrize("inputs", UNMADE)
def test_hidden_inputs_that_cannot_be_made_are_refused(inputs):
    text = toml('equal function="f"') + f'inputs = "{inputs}"\n'
    refusal = definition.read(text)
    assert isinstance(refusal, Refusal)
    assert refusal.message.startswith("exercise.toml, check[0].inputs: ")
    assert refusal.remedy.startswith('Write it as kind = "equal"')
