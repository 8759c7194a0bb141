"""The gallery in the API."""

from django.http import HttpRequest, HttpResponse
from ninja import Router

from webapp.examples.gallery import Gallery, gallery
from webapp.openapi import gives
from webapp.runs.api import answer

router = Router(tags=["examples"])


@router.get(
    "",
    summary="The example snippets",
    openapi_extra={"responses": gives(200, Gallery, "In the order of the gallery")},
)
def read(request: HttpRequest) -> HttpResponse:
    return answer(gallery())
