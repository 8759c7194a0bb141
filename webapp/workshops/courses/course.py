"""A course as it is read: what course.toml says, its pages and its exercises."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from webapp.workshops.exercises import wire

# Paths in the course's folder, and what they hold.
Files = Mapping[str, str]


class CourseInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What course.toml says: a title, how long it takes in minutes, and one line of what it is
    about."""

    title: str
    minutes: int
    about: str = ""


@dataclass(frozen=True)
class Page:
    """A page of the deck: the file that it is from, and its Markdown."""

    path: str
    text: str


@dataclass(frozen=True)
class Exercise:
    """A folder of `exercises/`: its name, and its files by their names in it."""

    name: str
    files: Files


@dataclass(frozen=True)
class Course:
    """A whole course. `files` is what it was read from, as it is exported."""

    about: CourseInfo
    pages: tuple[Page, ...]
    exercises: tuple[Exercise, ...]
    files: Files


def given(exercise: Exercise) -> wire.Files:
    """Its files as an exercise of a workshop is given them."""
    has = exercise.files
    return wire.Files(
        toml=has.get("exercise.toml", ""),
        start=has.get("start.py", ""),
        answer=has.get("answer.py", ""),
        reference=has.get("reference.py", ""),
    )
