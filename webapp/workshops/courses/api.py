"""The JSON API of courses, and of the one that a workshop has."""

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Router

from webapp.errors import Refusal, Refused
from webapp.openapi import gives, takes
from webapp.runs.api import answer
from webapp.workshops import reading, snapshot
from webapp.workshops.announce import announce
from webapp.workshops.asking import inside, known, leading
from webapp.workshops.courses import stored, wire, zipping
from webapp.workshops.courses.course import Course, Files
from webapp.workshops.courses.deck import rendered
from webapp.workshops.courses.exporting import exported
from webapp.workshops.courses.reading import taken
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.wire import Room

router = Router(tags=["workshops"])
# Of one workshop: added to its addresses.
rooms = Router(tags=["workshops"])
ZIP = "application/zip"
_ZIPPED = {"required": True, "content": {ZIP: {}}}


@router.get(
    "",
    summary="The courses that a workshop can be opened from",
    openapi_extra={"responses": gives(200, wire.Courses, "Those that ship with the project")},
)
def list_courses(request: HttpRequest) -> HttpResponse:
    return answer(wire.Courses([_entry(name, course) for name, course in shelf().items()]))


@router.get(
    "/{name}/course.zip",
    summary="A course as a zip of its folder: to begin one of your own with",
    openapi_extra={"responses": gives(200, None, "The zip", 404)},
)
def download(request: HttpRequest, name: str) -> HttpResponse:
    if name not in shelf():
        remedy = f"Choose among {', '.join(shelf())}."
        raise Refused(Refusal(404, f'There is no course "{name[:40]}".', remedy, "name"))
    return _zip(shelf()[name].files, name)


@rooms.get(
    "/{code}/deck",
    summary="The deck of a workshop that you are in",
    openapi_extra={"responses": gives(200, wire.DeckView, "All its pages", 403, 404)},
)
def read_deck(request: HttpRequest, code: str) -> HttpResponse:
    workshop, _ = inside(request, code)
    course = known(stored.paged(workshop))
    pages = [rendered(page.text) for page in course.pages]
    return answer(wire.DeckView(course.about.title, course.about.minutes, pages))


@rooms.patch(
    "/{code}/deck",
    summary="Turn to a page of the deck of a workshop that you lead",
    openapi_extra={
        "requestBody": takes(wire.Turned),
        "responses": gives(200, Room, "The workshop as you see it", 400, 403, 404, 422),
    },
)
def turn(request: HttpRequest, code: str) -> HttpResponse:
    workshop, seat = leading(request, code)
    found = known(reading.read(request.body, {"page": lambda page: page}, '{"page": 3}'))
    if refusal := stored.turn(workshop, found.get("page")):
        raise Refused(refusal)
    announce(workshop.code)
    return answer(snapshot.room(workshop, seat))


@rooms.put(
    "/{code}/deck/{int:page}/{int:block}",
    summary="Say what you ran in a block of the deck of a workshop that you lead, by the numbers "
    "of its page and of the block, from 0: who follows sees it there",
    openapi_extra={
        "requestBody": takes(wire.Ran),
        "responses": gives(200, Room, "The workshop as you see it", 400, 403, 404, 422),
    },
)
def show(request: HttpRequest, code: str, page: int, block: int) -> HttpResponse:
    workshop, seat = leading(request, code)
    found = known(reading.read(request.body, {"run": reading.run}, '{"run": "..."}'))
    run = found.get("run") or known(reading.run(None))  # blank is none
    if refusal := stored.ran(workshop, page, block, run):
        raise Refused(refusal)
    announce(workshop.code)
    return answer(snapshot.room(workshop, seat))


@rooms.put(
    "/{code}/course.zip",
    summary="Give a workshop that you lead a course: the zip of its folder",
    openapi_extra={
        "requestBody": _ZIPPED,
        "responses": gives(200, Room, "The workshop as you see it", 403, 404, 411, 413, 422),
    },
)
def upload(request: HttpRequest, code: str) -> HttpResponse:
    workshop, seat = leading(request, code)
    course = known(taken(known(zipping.unpacked(request.body))))
    if refusal := stored.store(workshop, course):
        raise Refused(refusal)
    announce(workshop.code)
    return answer(snapshot.room(workshop, seat))


@rooms.get(
    "/{code}/course.zip",
    summary="The course of a workshop that you lead, with the exercises that you added, and with "
    "all answers, as a zip",
    openapi_extra={"responses": gives(200, None, "The zip", 403, 404)},
)
def export(request: HttpRequest, code: str) -> HttpResponse:
    workshop, _ = leading(request, code)
    return _zip(known(exported(workshop)), f"course-{workshop.code}")


def _entry(name: str, course: Course) -> wire.CourseEntry:
    about, counts = course.about, (len(course.pages), len(course.exercises))
    return wire.CourseEntry(name, about.title, about.about, about.minutes, *counts)


def _zip(files: Files, name: str) -> HttpResponse:
    response = HttpResponse(zipping.packed(files), content_type=ZIP)
    response["Content-Disposition"] = content_disposition_header(True, f"{name}.zip")
    return response
