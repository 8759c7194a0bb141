"""The JSON API of a workshop's shared text; it is written over a socket, webapp/live/text.py."""

from django.http import HttpRequest, HttpResponse
from ninja import Router

from webapp.openapi import gives
from webapp.runs.api import answer
from webapp.workshops.asking import inside
from webapp.workshops.text.keeping import copies
from webapp.workshops.wire import SharedText

router = Router(tags=["workshops"])


@router.get(
    "/{code}/text",
    summary="The text that a workshop which you are in writes together, as it is now",
    openapi_extra={"responses": gives(200, SharedText, "It", 403, 404)},
)
def read(request: HttpRequest, code: str) -> HttpResponse:
    workshop, _ = inside(request, code)
    return answer(SharedText(copies.text(workshop.code)))
