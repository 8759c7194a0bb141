"""Reading a course: what is wrong is named by its file, with what to do."""

import pytest

from tests.webapp.workshops.courses.samples import FILES, files
from webapp.errors import Refusal
from webapp.workshops.courses.reading import read, taken
from webapp.workshops.courses.shelf import shelf


def test_a_course_is_read_in_the_order_of_its_pages():
    course = read(files(**{"00-before.md": "# Before\n"}))
    assert (course.about.title, course.about.minutes) == ("Fusion", 30)
    assert [page.path for page in course.pages] == [
        "00-before.md", "01-welcome.md", "02-softmax.md",
    ]  # fmt: skip
    assert [each.name for each in course.exercises] == ["one-kernel"]
    assert "answer.py" in course.exercises[0].files


def test_exercises_are_in_the_order_of_the_deck():
    more = {
        f"exercises/{name}/{file}": FILES[f"exercises/one-kernel/{file}"]
        for name in ("all", "one", "zero")
        for file in ("exercise.toml", "start.py")
    }
    order = ("zero", "one-kernel", "one")
    blocks = "".join(f"```fuselab exercise={name}\n```\n\n" for name in order)
    course = read(files(**more, **{"02-softmax.md": blocks}))
    assert [each.name for each in course.exercises] == ["zero", "one-kernel", "one", "all"]


def test_a_title_is_text_and_all_of_it_is_seen():
    course = read(files(**{"course.toml": 'title = "Fu\\u202esion\\n now"\nminutes = 1\n'}))
    assert course.about.title == "Fu<U+202E>sion now"


@pytest.mark.parametrize(
    ("changed", "at", "says"),
    [
        ({"course.toml": None}, "course.toml", "has no course.toml"),
        ({"course.toml": "title = "}, "course.toml", "cannot be read"),
        ({"course.toml": 'title = "x"'}, "course.toml", "minutes"),
        ({"course.toml": "x = " + "[" * 9000}, "course.toml", "cannot be read: it is nested too"),
        ({"course.toml": "minutes = 1" + "0" * 5000}, "course.toml", "a number of too many digits"),
        ({"course.toml": 'title = ""\nminutes = 3'}, "course.toml", "title"),
        ({"course.toml": 'title = "x"\nminutes = 0'}, "course.toml", "cannot be 0"),
        ({"course.toml": 'title = "x"\nminutes = 3\nlevel = 2'}, "course.toml", "level"),
        (
            {"course.toml": 'title = "x"\nminutes = "3"'},
            "course.toml",
            "course.toml, minutes: expected",
        ),
        ({"course.toml": 'title = "x"\nminuts = 3'}, "course.toml", 'unknown field "minuts"'),
        ({path: None for path in FILES if path != "course.toml"}, "01-welcome.md", "0 pages"),
        ({"exercises/order.txt": "one-kernel\ntwo\n"}, "exercises/order.txt", "names two, which"),
        ({"welcome.md": "# Hi"}, "welcome.md", "no file of a course"),
        ({"exercises/One/start.py": "x"}, "exercises/One/start.py", "no file of a course"),
        ({"exercises/one-kernel/more.py": "x"}, "exercises/one-kernel/more.py", "no file"),
        (
            {"exercises/one-kernel/start.py": " \n"},
            "exercises/one-kernel/start.py",
            "missing or empty",
        ),
        (
            {"exercises/one-kernel/exercise.toml": None},
            "exercises/one-kernel/exercise.toml",
            "missing",
        ),
    ],
)
def test_what_is_wrong_is_named(changed, at, says):
    refusal = read(files(**changed))
    assert isinstance(refusal, Refusal)
    assert refusal.input == at
    assert says in refusal.message and at in refusal.message + refusal.remedy
    assert refusal.remedy.endswith(".")


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("fuselab exercise=two", "there is no exercise two"),
        ("fuselab run=nothing-like-it", '"nothing-like-it" is neither an example nor the link'),
        ("fuselab run=softmax-rows pane=IR!", 'there is no pane "IR!"'),
        ("fuselab run=softmax-rows run=bias-gelu", "cannot be done"),
        ("fuselab", "cannot be done"),
        ('fuselab run="', "cannot be done"),
        ("fuselab exercise=one-kernel pane=ir", "cannot be done"),
        ("fuselab run=//evil.example/r/x", "is neither"),
    ],
)
def test_a_live_block_that_cannot_be_is_named_with_its_line(block, says):
    refusal = read(files(**{"01-welcome.md": f"# Hi\n\n```{block}\n```\n"}))
    assert refusal.message.startswith("01-welcome.md, line 3: ")
    assert says in refusal.message


def test_what_comes_in_is_looked_through_for_slips_and_what_is_there_stays_readable():
    slipped = files(**{"01-welcome.md": "# Hi\n\n```fuselab run=softmax-rows pane=tritn\n```\n"})
    refusal = taken(slipped)
    assert isinstance(refusal, Refusal) and refusal.message.startswith("01-welcome.md, line 3: ")
    assert not isinstance(read(slipped), Refusal) and not isinstance(taken(files()), Refusal)


def test_an_exercise_that_cannot_be_checked_is_named_with_its_folder():
    path = "exercises/one-kernel/exercise.toml"
    refusal = read(files(**{path: FILES[path].replace("at_most", "at_least")}))
    assert refusal.input == "exercises/one-kernel"
    assert refusal.message.startswith("exercises/one-kernel: exercise.toml, check[0]")
    assert "at_most" in refusal.remedy


def test_what_lies_beside_a_course_is_left_alone():
    assert not isinstance(read(files(**{"README.md": "About", "LICENSE": "MIT"})), Refusal)


def test_every_course_that_ships_is_one():
    for course in shelf().values():
        assert course.about.about and course.pages
        assert all("answer.py" in each.files for each in course.exercises)


def test_a_page_that_would_take_seconds_to_read_is_refused_unread():
    course = taken(files(**{"02-softmax.md": "# x\n" + "![" * 32_000}))
    assert isinstance(course, Refusal)
    assert course.message.startswith("02-softmax.md has 64,002 line ends and characters such as *")
    assert course.remedy == "Divide it: a page has at most 12,000."


def test_and_so_is_a_course_of_many_such_pages():
    pages = {f"{n:02}-more.md": "# x\n" + "*a*\n" * 3_000 for n in range(10, 20)}
    course = taken(files(**pages))
    assert isinstance(course, Refusal)
    assert "The pages have 90," in course.message
    assert course.remedy == "Make it two courses: one has at most 60,000."


def test_pictures_and_words_are_no_marks():
    page = f"# x\n\n![a plot](data:image/png;base64,{'AbC+/9' * 10_000})\n"
    assert not isinstance(taken(files(**{"03-plot.md": page})), Refusal)
