"""The JSON API of workshops. Views are thin: each reads the request, calls one module, tells the
pages of the change and responds."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from webapp.errors import Refusal, Refused
from webapp.openapi import gives, takes
from webapp.runs import intake, owner
from webapp.runs.api import answer
from webapp.workshops import door, expiry, handing, qr, reading, returning, snapshot, wire
from webapp.workshops.announce import announce
from webapp.workshops.asking import inside, keepable, known, leading
from webapp.workshops.courses import stored
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.home import seat_runs
from webapp.workshops.models import Seat, Workshop
from webapp.workshops.models import expiry as in_30_days
from webapp.workshops.rate import Knocks, Openings, Phrases, came_in
from webapp.workshops.text import pen

router = Router(tags=["workshops"])
_SEAT = {
    "name": reading.name, "follows": reading.truth("follows"), "run": reading.run,
    "comment": reading.read_comment, "editing": reading.truth("editing"),
}  # fmt: skip
_LED = {
    "title": reading.title, "locked": reading.truth("locked"), "place": reading.place,
    "tab": reading.tab,
    "board": reading.truth("board"), "kept": reading.truth("kept"),
}  # fmt: skip
_OTHER: dict[str, tuple[reading.Reader, Callable[[Workshop, int, Any], Refusal | None]]] = {
    "pen": (reading.truth("pen"), pen.give),
    "muted": (reading.truth("muted"), door.mute),
    "removed": (reading.truth("removed"), door.set_removed),
    "sent_back": (intake.read_source, returning.send_back),
    "comment": (reading.comment, returning.comment),
}  # fmt: skip
_ROOM = gives(200, wire.Room, "The workshop as you see it", 400, 403, 404, 422)
_GONE = gives(204, None, "Done", 403, 404)


@router.post(
    "",
    summary="Open a workshop, and lead it",
    throttle=[Openings()],
    openapi_extra={
        "requestBody": takes(wire.NewWorkshop),
        "responses": gives(201, wire.Opened, "Opened", 400, 403, 411, 413, 422, 429, 503),
    },
)
def create(request: HttpRequest) -> HttpResponse:
    wanted = known(reading.new_workshop(request.body))
    keepable("another workshop")
    expiry.sweep()
    token = owner.token(request) or owner.new_token()
    workshop = door.open_workshop(wanted, owner.digest(token))
    if wanted.course:
        stored.store(workshop, shelf()[wanted.course])
    came_in(request, workshop)
    opened = wire.Opened(workshop.code, f"/w/{workshop.code}", token)
    response = answer(opened, HTTPStatus.CREATED)
    owner.remember(request, response, token)
    return response


@router.get(
    "/{code}/door",
    summary="What a workshop shows to whoever has its code",
    throttle=[Knocks()],
    openapi_extra={"responses": gives(200, wire.Door, "Its door", 404, 429)},
)
def look(request: HttpRequest, code: str) -> HttpResponse:
    return answer(door.door(known(door.find(code)), owner.digest_of(request)))


@router.get(
    "/{code}/qr.svg",
    summary="The link of a workshop as a QR code",
    throttle=[Knocks()],
    openapi_extra={"responses": gives(200, None, "The drawing, as image/svg+xml", 404, 429)},
)
def draw(request: HttpRequest, code: str) -> HttpResponse:
    link = request.build_absolute_uri(f"/w/{known(door.find(code)).code}")
    return HttpResponse(qr.svg(link), content_type="image/svg+xml")


@router.post(
    "/{code}/join",
    summary="Take a seat",
    throttle=[Knocks()],
    openapi_extra={
        "requestBody": takes(wire.Joining),
        "responses": gives(200, wire.Room, "You are in", 400, 403, 404, 411, 413, 422, 429),
    },
)
def join(request: HttpRequest, code: str) -> HttpResponse:
    wanted = known(reading.joining(request.body))
    workshop: Workshop = known(door.find(code))
    token = owner.token(request) or owner.new_token()
    phrases = Phrases(request, workshop)
    seat: Seat = known(door.join(workshop, wanted, owner.digest(token), phrases))
    came_in(request, workshop)
    announce(workshop.code)
    response = answer(snapshot.room(workshop, seat))
    owner.remember(request, response, token)
    return response


@router.get("/{code}", summary="A workshop that you are in", openapi_extra={"responses": _ROOM})
def read(request: HttpRequest, code: str) -> HttpResponse:
    return answer(snapshot.room(*inside(request, code)))


@router.patch("/{code}", summary="Change a workshop that you lead: title, lock, place, board, "
              "whether it is kept for good", openapi_extra={"responses": _ROOM})  # fmt: skip
def lead(request: HttpRequest, code: str) -> HttpResponse:
    workshop, seat = leading(request, code)
    found = known(reading.read(request.body, _LED, '{"locked": true}'))
    if refusal := door.keep(workshop, seat, found.get("kept", False)):
        raise Refused(refusal)
    # Of several machines and tabs of the leader's that which went somewhere last is followed.
    tab = found.pop("tab", "")
    front = {"front": seat.pk, "front_tab": tab} if "place" in found else {}
    if front and stored.gone_to(found["place"]) != stored.gone_to(workshop.place):
        stored.put_away(workshop)
    # Who leads it uses it: it ends so many days from now, if it is not kept.
    return _changed(workshop, seat, workshop, found | front | {"expires": in_30_days()})


@router.patch("/{code}/seat", summary="Change your seat: name, whether you follow, your run, "
              "whether you are editing",
              openapi_extra={"responses": _ROOM})  # fmt: skip
def change_seat(request: HttpRequest, code: str) -> HttpResponse:
    workshop, seat = inside(request, code)
    found = known(reading.read(request.body, _SEAT, '{"name": "Ada"}'))
    if "name" in found and (refusal := door.called(workshop, seat, found["name"])):
        raise Refused(refusal)
    if "name" in found and not seat.leads:
        found["name"] = door.apart(workshop, seat.owner, found["name"])
    if "comment" in found:
        returning.read(seat)
    changed = _changed(workshop, seat, seat, found)
    seat_runs.note(seat)
    return changed


@router.get("/{code}/seat/sent-back", summary="The text that the leader sent you with a comment",
            openapi_extra={"responses": gives(200, wire.SentBack, "It", 403, 404)})  # fmt: skip
def sent_back(request: HttpRequest, code: str) -> HttpResponse:
    _, seat = inside(request, code)
    return answer(wire.SentBack(returning.sent_back(seat)))


@router.post("/{code}/leave", summary="Give up your seat", openapi_extra={"responses": _GONE})
def leave(request: HttpRequest, code: str) -> HttpResponse:
    workshop, seat = inside(request, code)
    door.leave(seat)
    announce(workshop.code)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@router.delete("/{code}/seats/{int:seat_id}", summary="Remove somebody from a workshop that you "
               "lead", openapi_extra={"responses": _GONE})  # fmt: skip
def remove(request: HttpRequest, code: str, seat_id: int) -> HttpResponse:
    workshop, _ = leading(request, code)
    if refusal := door.remove(workshop, seat_id):
        raise Refused(refusal)
    announce(workshop.code)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@router.patch("/{code}/seats/{int:seat_id}", summary="Give somebody the pen of the shared text, or "
              "take it, mute them, remove them or let them back in, comment on their work, or send "
              "it back changed, in a workshop that you lead",
              openapi_extra={"responses": _ROOM})  # fmt: skip
def change_other(request: HttpRequest, code: str, seat_id: int) -> HttpResponse:
    workshop, seat = leading(request, code)
    readers = {field: reader for field, (reader, _) in _OTHER.items()}
    found = known(reading.read(request.body, readers, '{"pen": true}'))
    for field, value in found.items():
        if refusal := _OTHER[field][1](workshop, seat_id, value):
            raise Refused(refusal)
    announce(workshop.code)
    return answer(snapshot.room(workshop, seat))


@router.post("/{code}/handout", summary="Hand a snippet out to all seats of a workshop that you "
             "lead", openapi_extra={"responses": _ROOM})  # fmt: skip
def hand_out(request: HttpRequest, code: str) -> HttpResponse:
    workshop, seat = leading(request, code)
    readers = {"source": intake.read_source}
    found = known(reading.read(request.body, readers, '{"source": "..."}'))
    handing.hand_out(workshop, found.get("source") or known(intake.read_source(None)))
    announce(workshop.code)
    return answer(snapshot.room(workshop, seat))


@router.get("/{code}/handout", summary="The snippet that was handed out last",
            openapi_extra={"responses": gives(200, wire.HandOut, "It", 403, 404)})  # fmt: skip
def handed_out(request: HttpRequest, code: str) -> HttpResponse:
    workshop, _ = inside(request, code)
    return answer(known(handing.find(workshop, workshop.handed_out)))


@router.get("/{code}/handouts", summary="The snippets that were handed out, the newest first",
            openapi_extra={"responses": gives(200, wire.HandOuts, "All", 403, 404)})  # fmt: skip
def all_handed_out(request: HttpRequest, code: str) -> HttpResponse:
    workshop, _ = inside(request, code)
    return answer(wire.HandOuts(handing.listed(workshop)))


@router.get("/{code}/handouts/{int:number}", summary="One of them, by its number",
            openapi_extra={"responses": gives(200, wire.HandOut, "It", 403, 404)})  # fmt: skip
def one_handed_out(request: HttpRequest, code: str, number: int) -> HttpResponse:
    workshop, _ = inside(request, code)
    return answer(known(handing.find(workshop, number)))


def _changed(
    workshop: Workshop, seat: Seat, what: Workshop | Seat, found: Mapping[str, Any]
) -> HttpResponse:
    """Sets these fields of `what`, tells all pages, and answers with the room."""
    for name, value in found.items():
        setattr(what, name, value)
    what.save(update_fields=list(found))
    announce(workshop.code)
    return answer(snapshot.room(workshop, seat))
