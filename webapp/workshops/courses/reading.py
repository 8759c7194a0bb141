"""Reads a course from its files, or says which file is wrong and how to mend it."""

import re
from collections import defaultdict
from collections.abc import Iterable

import msgspec

from webapp.errors import Refusal
from webapp.runs.title import visible
from webapp.workshops import toml
from webapp.workshops.courses import deck, limits, markdown
from webapp.workshops.courses.course import Course, CourseInfo, Exercise, Files, Page, given
from webapp.workshops.exercises.definition import sentence
from webapp.workshops.exercises.shelf import refused
from webapp.workshops.models import TITLE

COURSE = "course.toml"
EXERCISES = "exercises/"
# The names of exercises, one a line, where their order is not the deck's.
ORDER = f"{EXERCISES}order.txt"
_MINUTES = 24 * 60
_ABOUT = 200
_PAGE = re.compile(r"\d\d-[a-z0-9][a-z0-9-]{0,39}\.md")
_EXERCISE = re.compile(r"exercises/([a-z0-9][a-z0-9-]{0,39})/([a-z]+\.(?:toml|py))")
_WANTED = ("exercise.toml", "start.py")
_MAY = (*_WANTED, "answer.py", "reference.py")
# Of whoever keeps the course, and none of the course's.
_BESIDE = ("README.md", "LICENSE")


def read(files: Files) -> Course | Refusal:
    """The course in `files`, whose paths are those in its folder."""
    about = _about(files)
    if isinstance(about, Refusal):
        return about
    pages = tuple(Page(path, files[path]) for path in sorted(files) if _PAGE.fullmatch(path))
    exercises = _exercises(files)
    if isinstance(exercises, Refusal):
        return exercises
    # Exercises alone are a course without a deck.
    if len(pages) > limits.PAGES or not (pages or exercises):
        remedy = f"Give 1 to {limits.PAGES} pages named as 01-welcome.md."
        return _wrong("01-welcome.md", f"The course has {len(pages)} pages.", remedy)
    names = tuple(each.name for each in exercises)
    text = "".join(page.text for page in pages)
    order = files.get(ORDER, "").split()
    if unknown := next((each for each in order if each not in names), None):
        return _wrong(ORDER, f"{ORDER} names {visible(unknown[:40])}, which is no exercise.",
                      f"Choose among {', '.join(names) or 'none'}.")  # fmt: skip
    # Those in no order in that in which the deck comes to them; one that it does not is at the end.
    places = {name: place - len(order) for place, name in enumerate(order)}
    exercises = tuple(
        sorted(exercises, key=lambda each: places.get(each.name, _place(text, each.name)))
    )
    return _first(deck.fault(page, names) for page in pages) or Course(
        about, pages, exercises, files
    )


def taken(files: Files) -> Course | Refusal:
    """The same for a course that comes in, where slips are told as well: what can be shown, and
    cannot have been meant."""
    if refusal := _too_many_marks(files):
        return refusal
    course = read(files)
    if isinstance(course, Refusal):
        return course
    return _first(deck.slip(page) for page in course.pages) or course


def _too_many_marks(files: Files) -> Refusal | None:
    """Whether the pages would take long to be read, told without reading them."""
    counts = {path: markdown.marks(files[path]) for path in files if _PAGE.fullmatch(path)}
    most = max(counts, key=counts.__getitem__, default="")
    if most and counts[most] > limits.PAGE_MARKS:
        return _wrong(
            most, f"{most} has {counts[most]:,} line ends and characters such as * [ | and `.",
            f"Divide it: a page has at most {limits.PAGE_MARKS:,}.",
        )  # fmt: skip
    if (every := sum(counts.values())) > limits.ALL_MARKS:
        return _wrong(
            most, f"The pages have {every:,} line ends and characters such as * [ | and `.",
            f"Make it two courses: one has at most {limits.ALL_MARKS:,}.",
        )  # fmt: skip
    return None


def _about(files: Files) -> CourseInfo | Refusal:
    example = 'Begin it with title = "...", minutes = 90.'
    if COURSE not in files:
        return _wrong(COURSE, f"The course has no {COURSE}.", f"Add one. {example}")
    found = toml.read(files[COURSE])
    if isinstance(found, str):
        return _wrong(COURSE, f"{COURSE} cannot be read: {found}.", example)
    try:
        about = msgspec.convert(found, CourseInfo)
    except msgspec.ValidationError as error:
        return _wrong(COURSE, sentence(COURSE, str(error)), example)
    if not 0 < len(about.title.strip()) <= TITLE:
        return _wrong(COURSE, f"The title in {COURSE} has to be a line of text.",
                      f"Give 1 to {TITLE} characters.")  # fmt: skip
    if not 0 < about.minutes <= _MINUTES:
        return _wrong(COURSE, f"The minutes in {COURSE} cannot be {about.minutes}.",
                      f"Give 1 to {_MINUTES}.")  # fmt: skip
    if len(about.about) > _ABOUT:
        return _wrong(COURSE, f"The line `about` in {COURSE} is too long.",
                      f"Give at most {_ABOUT} characters.")  # fmt: skip
    return CourseInfo(_line(about.title), about.minutes, _line(about.about))


def _exercises(files: Files) -> tuple[Exercise, ...] | Refusal:
    found = defaultdict[str, dict[str, str]](dict)
    for path in sorted(files):
        at = _EXERCISE.fullmatch(path)
        if at is not None and at[2] in _MAY:
            found[at[1]][at[2]] = files[path]
        elif path not in (COURSE, ORDER) and path not in _BESIDE and not _PAGE.fullmatch(path):
            return _stray(path)
    if len(found) > limits.EXERCISES:
        return _wrong("exercises", f"The course has {len(found)} exercises.",
                      f"Give at most {limits.EXERCISES}.")  # fmt: skip
    exercises = tuple(Exercise(name, has) for name, has in found.items())
    return _first(_fault(each) for each in exercises) or exercises


def _place(text: str, name: str) -> int:
    found = re.search(rf"exercise={re.escape(name)}\b(?!-)", text)
    return found.start() if found else len(text)


def _fault(exercise: Exercise) -> Refusal | None:
    """What is wrong with an exercise, in the words of those who check it."""
    folder = f"exercises/{exercise.name}"
    for wanted in _WANTED:
        if not exercise.files.get(wanted, "").strip():
            path = f"{folder}/{wanted}"
            return _wrong(path, f"{path} is missing or empty.", "Every exercise has one.")
    refusal = refused(exercise.name, given(exercise))
    return refusal and _wrong(folder, f"{folder}: {refusal.message}", refusal.remedy)


def _stray(path: str) -> Refusal:
    shown = visible(path[:80])
    remedy = (
        f"A course has {COURSE}, pages such as 01-welcome.md, and exercises/NAME/ with "
        f"{', '.join(_MAY)}; names are small letters, digits and hyphens."
    )
    return _wrong(shown, f"{shown} is no file of a course.", remedy)


def _line(text: str) -> str:
    return visible(" ".join(text.split()))


def _first(found: Iterable[Refusal | None]) -> Refusal | None:
    return next((each for each in found if each is not None), None)


def _wrong(path: str, message: str, remedy: str) -> Refusal:
    return Refusal(422, message, remedy, path)
