"""A room with an exercise, and runs that are done."""

import pytest

from tests.webapp.conftest import SOURCE
from tests.webapp.workshops.exercises.asked import stored, tried
from tests.webapp.workshops.exercises.steps import ONE, end, put
from tests.webapp.workshops.people import BASE, join, opened


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
