"""The exercises of the courses that ship: what is begun with does not pass, and the answer does."""

import contextlib
import io
import re
from functools import cache, reduce
from typing import Any

import msgspec
import pytest
import torch

from compiler_core import report
from compiler_core.pipeline.order import explore
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.exercises import calls, checking, definition, hidden
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.kinds import Equal, Recompiles

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

EXERCISES = {
    f"{course}/{each.name}": each for course, held in shelf().items() for each in held.exercises
}


@cache
def wanted(name: str) -> Definition:
    read = definition.read(EXERCISES[name].files["exercise.toml"])
    assert isinstance(read, Definition), read
    return read


def checked(name: str, file: str) -> list[checking.Result]:
    asked = {"measure": False, "device": "cpu", "target": "sm_90", "compilers": ["core"]}
    options = msgspec.convert(asked | checking.options(wanted(name)), report.Options)
    events: list[report.Event] = []
    explore(EXERCISES[name].files[file], options, events.append)
    return checking.check(wanted(name), reduce(report.apply, events, report.Report()))


def outputs(name: str, source: str) -> Any:
    """What the exercise's function gives over its hidden inputs, run as it is."""
    check, right = equal(name), EXERCISES[name].files["answer.py"]
    composed = hidden.snippet(source, name, check.function, check.inputs, right)
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(torch, "compile", lambda function: function)
        exec(compile(composed, "<composed>", "exec"), {})
    found = hidden.outputs(printed.getvalue(), name)
    assert found, printed.getvalue()
    return found


def equal(name: str) -> Equal:
    [found] = [each for each in wanted(name).check if isinstance(each, Equal)]
    return found


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_begun_with_does_not_pass(name):
    seen = checked(name, "start.py")
    assert not all(each.passed for each in seen), seen


@pytest.mark.parametrize("name", EXERCISES)
def test_the_answer_passes(name):
    seen = checked(name, "answer.py")
    assert all(each.passed or each.pending for each in seen), seen


@pytest.mark.parametrize(("file", "passes"), [("start.py", False), ("answer.py", True)])
def test_the_calls_of_the_exercise_itself_compile_again_until_it_is_mended(file, passes):
    name = "why-not-faster/one-compilation"
    [check] = [each for each in wanted(name).check if isinstance(each, Recompiles)]
    source, events = EXERCISES[name].files[file], list[report.Event]()
    explore(calls.snippet(source, check), calls.options(source), events.append)
    seen = calls.judge(check, reduce(report.apply, events, report.Report()))
    assert seen.passed == passes, seen


@pytest.mark.parametrize("name", EXERCISES)
def test_no_exercise_is_passed_by_a_function_that_returns_zeros(name):
    right = outputs(name, EXERCISES[name].files["answer.py"])
    zeros = [[each._replace(values=[0.0] * len(each.values)) for each in call] for call in right]
    assert hidden.difference(zeros, right, equal(name).tolerance)
    # Both calls give numbers, of which some are not nothing.
    assert all(any(value for each in call for value in each.values) for call in right)


@pytest.mark.parametrize("name", ["clip-in-the-graph", "decide-in-the-graph"])
def test_what_is_decided_by_a_size_is_decided_both_ways(name):
    name = f"why-not-faster/{name}"
    source = EXERCISES[name].files["answer.py"]
    right = outputs(name, source)
    for branch in ("False", "True"):
        one = re.sub(r"norm > 1.0|y.mean\(\) > 0.1", f"_always({branch})", source)
        always = "import jax.numpy as _a, torch as _b\n_always = "
        always += "_a.asarray\n" if "jax" in source else "_b.tensor\n"
        assert hidden.difference(outputs(name, always + one), right, 1e-4)


@pytest.mark.parametrize("name", EXERCISES)
def test_no_check_is_of_time(name):
    assert not checking.options(wanted(name))["measure"]
