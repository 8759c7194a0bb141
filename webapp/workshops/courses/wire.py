"""What the API of courses answers."""

import msgspec

from webapp.workshops.courses.deck import PageView


class CourseEntry(msgspec.Struct, frozen=True):
    """A course from which a workshop can be opened; how long it takes is in minutes."""

    name: str
    title: str
    about: str
    minutes: int
    pages: int
    exercises: int


class Courses(msgspec.Struct, frozen=True):
    """All that there are."""

    courses: list[CourseEntry]


class DeckView(msgspec.Struct, frozen=True):
    """A workshop's deck, whole: pages are turned without asking again."""

    title: str
    minutes: int
    pages: list[PageView]


class Turned(msgspec.Struct, frozen=True):
    """The request for a page of the deck, from 0."""

    page: int


class Ran(msgspec.Struct, frozen=True):
    """The request that says what was run in a block: the run's id."""

    run: str
