"""The course that a workshop has, kept in its row: what is read there was read before."""

from typing import Any

from django.db import transaction
from django.db.models import F

from webapp.bodies import unusable
from webapp.errors import Refusal
from webapp.workshops.courses.course import Course, given
from webapp.workshops.courses.deck import LiveRun, Snippet, rendered
from webapp.workshops.courses.reading import read
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.exercises.shelf import put
from webapp.workshops.models import Deck, Workshop

# As the page writes it (frontend/src/lib/sight.ts).
_IN_SIGHT = ("at", "text")


def store(workshop: Workshop, course: Course) -> Refusal | None:
    """The workshop has this course from now on, opened at its first page, and its exercises in the
    place of those of a course before it. What the leader added otherwise stays; where it has no
    room beside that, nothing is changed."""
    said = {
        "files": dict(course.files),
        "pages": len(course.pages),
        "page": 0,
        "ran": {},
        "latest": True,
    }
    names = {each.name for each in course.exercises}
    with transaction.atomic():
        before = stored(workshop)
        if isinstance(before, Course):
            gone = {each.name for each in before.exercises} - names
            Exercise.objects.filter(workshop=workshop, name__in=gone).delete()
        there = Deck.objects.filter(workshop=workshop)
        if not there.update(**said, edition=F("edition") + 1):
            Deck.objects.create(workshop=workshop, **said)
        for each in course.exercises:
            refusal = put(workshop, each.name, given(each))
            if isinstance(refusal, Refusal):
                transaction.set_rollback(True)
                return refusal
    return None


def stored(workshop: Workshop) -> Course | Refusal:
    """Its course, which may have no page. One that an earlier version took and this one does not is
    refused as an upload would be."""
    deck = Deck.objects.filter(workshop=workshop).first()
    return read(deck.files) if deck else _none()


def paged(workshop: Workshop) -> Course | Refusal:
    """Its course, which has a deck."""
    course = stored(workshop)
    return _none() if isinstance(course, Course) and not course.pages else course


def turn(workshop: Workshop, page: Any) -> Refusal | None:
    """The leader is at this page, from 0."""
    deck = Deck.objects.filter(workshop=workshop).only("pages").first()
    if deck is None or not deck.pages:
        return _none()
    if not isinstance(page, int) or isinstance(page, bool) or not 0 <= page < deck.pages:
        return unusable("page", page, "page", f"Give a number from 0 to {deck.pages - 1}.")
    Deck.objects.filter(workshop=workshop).update(page=page, turns=F("turns") + 1, latest=True)
    return None


def gone_to(place: str) -> str:
    """A leader's place without what is in sight there, which their page also tells unasked: a text
    comes, or the deck beside it gets another page, and it is scrolled. Where they press a pane, the
    place says that they went there once more (`went`, `shown`)."""
    path, _, fragment = place.partition("#")
    chosen = (part for part in fragment.split("&") if part.partition("=")[0] not in _IN_SIGHT)
    return f"{path}#{'&'.join(chosen)}"


def put_away(workshop: Workshop) -> None:
    """The leader has gone to a run."""
    Deck.objects.filter(workshop=workshop, latest=True).update(latest=False)


def ran(workshop: Workshop, page: int, block: int, run: str) -> Refusal | None:
    """The leader ran something in a block where that can be done."""
    course = stored(workshop)
    if isinstance(course, Refusal):
        return course
    if not _is_run_in(course, page, block):
        remedy = "Name a page and one of its blocks that is an example or a snippet, from 0."
        return Refusal(404, f"Nothing is run in block {block} of page {page}.", remedy, "block")
    with transaction.atomic():
        deck = Deck.objects.select_for_update().only("ran").get(workshop=workshop)
        deck.ran |= {f"{page} {block}": run}
        deck.latest = True
        deck.save(update_fields=["ran", "latest"])
    return None


def _is_run_in(course: Course, page: int, block: int) -> bool:
    blocks = rendered(course.pages[page].text).blocks if page < len(course.pages) else []
    return block < len(blocks) and isinstance(blocks[block], LiveRun | Snippet)


def _none() -> Refusal:
    remedy = "Whoever leads it can open one from a course, or put a course in as a zip."
    return Refusal(404, "This workshop has no deck.", remedy, "code")
