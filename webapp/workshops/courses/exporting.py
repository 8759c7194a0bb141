"""A workshop's course as it is now: its pages as they came, and the exercises that are in it."""

import json
from collections.abc import Collection

from webapp.errors import Refusal
from webapp.workshops.courses.course import Course, Files
from webapp.workshops.courses.deck import without
from webapp.workshops.courses.reading import COURSE, EXERCISES, ORDER, read
from webapp.workshops.courses.stored import stored
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Deck, Workshop

# Of a room that came from no course nobody said how long it takes.
_MINUTES = 90


def exported(workshop: Workshop) -> Files | Refusal:
    """The files of a course of which another workshop gets the same pages and exercises: a page
    asks for none that the leader took away."""
    course = stored(workshop) if Deck.objects.filter(workshop=workshop).exists() else None
    if isinstance(course, Refusal):
        return course
    own = {each.name: _files(each) for each in Exercise.objects.filter(workshop=workshop)}
    pages = {} if course is None else _pages(course, own)
    if not pages and not own:
        remedy = "Put a course in as a zip, or add an exercise."
        return Refusal(404, "This workshop has neither a deck nor exercises.", remedy, "code")
    files = (_beside(course) if course else {COURSE: _about(workshop)}) | pages
    for name, has in own.items():
        files |= {f"{EXERCISES}{name}/{each}": text for each, text in has.items()}
    return {**files, **_order(files, [*own])}


def _beside(course: Course) -> dict[str, str]:
    """The course's files but for its pages and its exercises."""
    pages = {page.path for page in course.pages}
    return {path: text for path, text in course.files.items()
            if path not in pages and not path.startswith(EXERCISES)}  # fmt: skip


def _pages(course: Course, own: Collection[str]) -> dict[str, str]:
    """Its pages as they are where it has its `own` exercises. One that had nothing but what was
    taken away is none."""
    gone = {each.name for each in course.exercises}.difference(own)
    pages = {page.path: without(page, gone) for page in course.pages}
    return {path: text for path, text in pages.items() if text.strip()}


def _about(workshop: Workshop) -> str:
    # A JSON string is one of TOML's.
    title = json.dumps(workshop.title, ensure_ascii=False)
    return f"title = {title}\nminutes = {_MINUTES}\n"


def _files(exercise: Exercise) -> Files:
    """Its files by their names; lines end as they do in a course that is read."""
    texts = {
        "exercise.toml": exercise.toml,
        "start.py": exercise.start,
        "answer.py": exercise.answer,
        "reference.py": exercise.reference,
    }
    return {name: text.replace("\r\n", "\n") for name, text in texts.items() if text}


def _order(files: Files, names: list[str]) -> Files:
    """The file that says in which order the exercises are, where they would be in another."""
    course = read(files)
    if isinstance(course, Refusal) or [each.name for each in course.exercises] == names:
        return {}
    return {ORDER: "".join(f"{name}\n" for name in names)}
