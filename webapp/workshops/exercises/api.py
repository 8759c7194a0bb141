"""The JSON API of a workshop's exercises, as thin as that of workshops."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from webapp import address
from webapp.bodies import unusable
from webapp.errors import Refusal, Refused
from webapp.openapi import gives, takes
from webapp.runs import intake, owner
from webapp.runs.api import answer
from webapp.runs.rate import RunRate
from webapp.runs.wire import Created
from webapp.workshops.announce import announce
from webapp.workshops.asking import inside, known, leading
from webapp.workshops.exercises import attempts, progress, shelf, trying, wire
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Workshop
from webapp.workshops.reading import read

router = Router(tags=["workshops"])
_EXAMPLE = '{"toml": "...", "start": "..."}'
_ONE = "/{code}/exercises/{name}"
_GONE = gives(204, None, "Done", 403, 404)


@router.get(
    "/{code}/exercises",
    summary="The exercises of a workshop that you are in, and how far you are with each",
    openapi_extra={"responses": gives(200, wire.Exercises, "In order", 403, 404)},
)
def listed(request: HttpRequest, code: str) -> HttpResponse:
    return answer(wire.Exercises(progress.of_seat(*inside(request, code))))


@router.put(
    _ONE,
    summary="Add an exercise to a workshop that you lead, or change it",
    openapi_extra={
        "requestBody": takes(wire.Files),
        "responses": gives(204, None, "There it is", 400, 403, 404, 411, 413, 422),
    },
)
def put(request: HttpRequest, code: str, name: str) -> HttpResponse:
    workshop, _ = leading(request, code)
    readers = {each: _text(each) for each in wire.Files.__struct_fields__}
    found = known(read(request.body, readers, _EXAMPLE))
    for each in ("toml", "start"):
        if each not in found:
            raise Refused(unusable(each, None, each, f"Send an object such as {_EXAMPLE}."))
    known(shelf.put(workshop, name, wire.Files(**found)))
    return _changed(workshop)


@router.delete(_ONE, summary="Remove an exercise, and all attempts at it, from a workshop that you "
               "lead", openapi_extra={"responses": _GONE})  # fmt: skip
def remove(request: HttpRequest, code: str, name: str) -> HttpResponse:
    workshop, _ = leading(request, code)
    known(shelf.find(workshop, name)).delete()
    return _changed(workshop)


@router.post(
    _ONE + "/hints/{int:number}",
    summary="Open a hint, which is counted",
    openapi_extra={"responses": gives(200, wire.Hint, "The hint", 403, 404)},
)
def open_hint(request: HttpRequest, code: str, name: str, number: int) -> HttpResponse:
    workshop, seat = inside(request, code)
    return answer(known(progress.open_hint(seat, known(shelf.find(workshop, name)), number)))


@router.post(
    _ONE + "/runs",
    summary="Run a text as an exercise calls it, on numbers of its own: an attempt, by that run",
    throttle=[RunRate()],
    openapi_extra={
        "requestBody": takes(wire.Tried),
        "responses": gives(
            201, Created, "Queued, or found: identical requests share a run",
            400, 403, 404, 411, 413, 422, 429, 503,
        ),
    },
)  # fmt: skip
def run(request: HttpRequest, code: str, name: str) -> HttpResponse:
    workshop, seat = inside(request, code)
    readers = {"source": intake.read_source, "editor": intake.read_editor}
    found = known(read(request.body, readers, '{"source": "..."}'))
    source = known(found["source"] if "source" in found else intake.read_source(None))
    exercise: Exercise = known(shelf.find(workshop, name))
    if refusal := attempts.refused(seat, exercise):
        raise Refused(refusal)
    whose = (seat.owner, found.get("editor", ""), address.digest_of(request))
    created, existing = known(trying.begin(exercise, source, *whose))
    # It is an answer from now on, whatever becomes of the page.
    known(attempts.begin(seat, exercise, created))
    token = owner.token(request) or ""
    return answer(Created(created.pk, created.url, existing, token), HTTPStatus.CREATED)


@router.post(
    _ONE + "/attempts",
    summary="Check a run of yours, by its report when it has ended; the same run counts once",
    openapi_extra={
        "requestBody": takes(wire.Attempted),
        "responses": gives(
            200, wire.AttemptView, "What each check saw", 400, 403, 404, 411, 413, 422, 429, 503
        ),
    },
)
def attempt(request: HttpRequest, code: str, name: str) -> HttpResponse:
    workshop, seat = inside(request, code)
    found = known(read(request.body, {"run": _text("run")}, '{"run": "..."}'))
    exercise: Exercise = known(shelf.find(workshop, name))
    return answer(known(attempts.attempt(seat, exercise, found.get("run", ""))))


@router.get(
    "/{code}/board",
    summary="How far all seats are: by checks passed, then by speed; where the leader shows it",
    openapi_extra={"responses": gives(200, wire.Board, "The furthest first", 403, 404)},
)
def board(request: HttpRequest, code: str) -> HttpResponse:
    workshop, seat = inside(request, code)
    if not workshop.board and not seat.leads:
        remedy = "Ask whoever leads the workshop to show it."
        raise Refused(Refusal(403, "The board is off.", remedy, "board"))
    return answer(progress.board(workshop, seat))


def _text(what: str) -> Any:
    """A reader of text."""

    def reader(given: Any) -> str | Refusal:
        return given if isinstance(given, str) else unusable(what, given, what, "Give its text.")

    return reader


def _changed(workshop: Workshop) -> HttpResponse:
    announce(workshop.code)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)
