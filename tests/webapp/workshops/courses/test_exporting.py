"""Whatever a leader does in a room: another that is given what it exports exports the same."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.webapp.workshops.courses.samples import FILES
from webapp.workshops.courses.course import Course
from webapp.workshops.courses.exporting import exported
from webapp.workshops.courses.reading import taken
from webapp.workshops.courses.stored import store
from webapp.workshops.courses.zipping import packed, unpacked
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.exercises.shelf import put
from webapp.workshops.exercises.wire import Files
from webapp.workshops.models import Workshop

TOML = FILES["exercises/one-kernel/exercise.toml"]
NAMES = st.sampled_from(["one-kernel", "a", "b", "c-d"])
# An exercise is put in or changed, or taken away, or the course comes.
DEEDS = st.lists(
    st.one_of(
        st.tuples(NAMES, st.sampled_from(["x = 1", "y = 2\r\n"])),
        st.tuples(NAMES, st.none()),
        st.just(("", None)),
    ),
    max_size=8,
)


def give(workshop, files):
    course = taken(files)
    assert isinstance(course, Course), course
    assert store(workshop, course) is None


def done(workshop, deeds):
    for name, start in deeds:
        if not name:
            give(workshop, FILES)
        elif start is None:
            Exercise.objects.filter(workshop=workshop, name=name).delete()
        else:
            put(workshop, name, Files(TOML, start))


def names(workshop):
    return list(Exercise.objects.filter(workshop=workshop).values_list("name", flat=True))


@pytest.mark.django_db
@settings(max_examples=40, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(title=st.sampled_from(["Fusion", 'A "quoted" \\ line', "é 😀"]), deeds=DEEDS)
def test_export_of_import_of_export_is_equal(title, deeds):
    first, second = Workshop.objects.create(title=title), Workshop.objects.create(title="Another")
    done(first, [("a", "x = 1"), *deeds, ("b", "x = 1")])
    content = packed(exported(first))
    give(second, unpacked(content))
    assert packed(exported(second)) == content
    assert names(second) == names(first)
