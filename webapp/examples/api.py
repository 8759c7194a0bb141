"""The gallery in the API."""

import msgspec
from django.http import HttpRequest, HttpResponse
from ninja import Router

from webapp.examples import first
from webapp.examples.gallery import Gallery, gallery
from webapp.openapi import gives
from webapp.runs import views, wire
from webapp.runs.api import answer

router = Router(tags=["examples"])


class First(msgspec.Struct, frozen=True):
    """The finished run that the front page opens on, without its texts, and the line of its
    snippet that is chosen there."""

    line: int
    run: wire.RunView


@router.get(
    "",
    summary="The example snippets",
    openapi_extra={"responses": gives(200, Gallery, "In the order of the gallery")},
)
def read(request: HttpRequest) -> HttpResponse:
    return answer(gallery())


@router.get(
    "/first",
    summary="The finished example that the front page opens on",
    openapi_extra={"responses": gives(200, First, "A run that ships with the project")},
)
def read_first(request: HttpRequest) -> HttpResponse:
    run = first.run()
    return answer(First(first.line(run.source), views.view(run, mine=False)))
