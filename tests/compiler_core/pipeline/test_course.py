"""The exercises of the courses that ship: what is begun with does not pass, and the answer does."""

from functools import cache, reduce

import msgspec
import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.exercises import checking, definition
from webapp.workshops.exercises.definition import Definition

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


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_begun_with_does_not_pass(name):
    seen = checked(name, "start.py")
    assert not all(each.passed for each in seen), seen


@pytest.mark.parametrize("name", EXERCISES)
def test_the_answer_passes(name):
    seen = checked(name, "answer.py")
    assert all(each.passed for each in seen), seen


@pytest.mark.parametrize("name", EXERCISES)
def test_no_check_is_of_time(name):
    assert "measure" not in checking.options(wanted(name))
