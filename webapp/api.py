"""/api/v1: its routers, and the responses to requests that fail."""

from collections.abc import Callable
from http import HTTPStatus
from math import ceil
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from ninja.errors import Throttled

from webapp import away, errors
from webapp.errors import Refusal, Refused
from webapp.examples.api import router as examples
from webapp.health import Health, health
from webapp.openapi import DocumentedAPI, gives
from webapp.runs.api import answer
from webapp.runs.api import router as runs
from webapp.runs.workers import alive
from webapp.toolchains import Toolchains, toolchains
from webapp.workshops.api import router as workshops
from webapp.workshops.courses.api import rooms as courses_of_workshops
from webapp.workshops.courses.api import router as courses
from webapp.workshops.exercises.api import router as exercises
from webapp.workshops.home.api import rooms as home_of_workshops
from webapp.workshops.text.api import router as shared_text

api = DocumentedAPI(
    title="Fuselab",
    version=settings.VERSION,
    description="Compile a PyTorch or JAX snippet and read every step. A run streams at the "
    'WebSocket /ws/runs/{id}/?after=0. Errors are {"error": {"message", "remedy", "input"}}.',
    urls_namespace="api",
)
api.add_router("/runs", runs)
api.add_router("/examples", examples)
api.add_router("/workshops", workshops)
api.add_router("/workshops", courses_of_workshops)
api.add_router("/workshops", home_of_workshops)
api.add_router("/courses", courses)
api.add_router("/workshops", exercises)
api.add_router("/workshops", shared_text)

_REFUSALS = {
    **away.REFUSALS,
    ObjectDoesNotExist: Refusal(404, "It was deleted a moment ago.", "Check the link.", "id"),
    RequestDataTooBig: errors.too_large(settings.MAX_BODY_BYTES),
    UnreadablePostError: Refusal(400, "The request's body broke off.", "Send it again.", "body"),
}


@api.exception_handler(Refused)
def refused(request: HttpRequest, error: Refused) -> HttpResponse:
    """The response to a request that a view refused."""
    return errors.response(error.refusal)


@api.exception_handler(Throttled)
def throttled(request: HttpRequest, error: Throttled) -> HttpResponse:
    """The response to one request too many: 429, with Retry-After."""
    seconds = ceil(error.wait or 60)
    remedy = f"Try again in {seconds} s."
    return errors.response(
        Refusal(429, "Too many requests from this address.", remedy, again_s=seconds)
    )


def _answer_with(refusal: Refusal) -> Callable[[HttpRequest, Any], HttpResponse]:
    def handler(request: HttpRequest, error: Any) -> HttpResponse:
        return errors.response(refusal)

    return handler


for kind, refusal in _REFUSALS.items():
    api.add_exception_handler(kind, _answer_with(refusal))


@api.get(
    "/toolchains",
    summary="The versions that a run may name",
    tags=["service"],
    openapi_extra={"responses": gives(200, Toolchains, "Those of the workers that live", 503)},
)
def read_toolchains(request: HttpRequest) -> HttpResponse:
    return answer(toolchains(alive()))


@api.get(
    "/health",
    summary="Whether the service can do its work",
    tags=["service"],
    openapi_extra={"responses": gives(200, Health, "It can", 503)},
)
def read_health(request: HttpRequest) -> HttpResponse:
    now = health()
    return answer(now, HTTPStatus.OK if now.ok else HTTPStatus.SERVICE_UNAVAILABLE)
