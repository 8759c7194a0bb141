"""Errors of the API: {"error": {"message", "remedy", "input"}}, one sentence and what to do.

400  the request cannot be read: not UTF-8, not JSON, a host that is not served here
403  not the owner's request, or a foreign page's
404  no such run, artifact or address
405  a method that the address does not take
411  no length given
413  too large
422  readable, but a value cannot be used: `input` names it
429  too many; Retry-After says when
503  the database, Redis or the queue cannot be reached
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from django.http import HttpResponse


@dataclass(frozen=True)
class Refusal:
    """Why a request is refused: the HTTP status, a sentence that names the input, and the
    remedy."""

    status: int
    message: str
    remedy: str = ""
    # The name of the input at fault: "source", "options.target", "id", ...
    input: str = ""
    # Seconds after which the same may be asked again, for Retry-After; 0: nobody knows.
    again_s: int = 0


class Problem(msgspec.Struct, frozen=True):
    """The content of an error: one sentence, what to do, and the name of the input that it
    concerns."""

    message: str
    remedy: str
    input: str


class ErrorBody(msgspec.Struct, frozen=True):
    """The JSON body of every error of the API."""

    error: Problem


class Refused(Exception):
    """Raised in a view to answer with a refusal."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(refusal.message)


def body(refusal: Refusal) -> bytes:
    """The refusal as the JSON body of a response."""
    problem = Problem(refusal.message, refusal.remedy, refusal.input)
    return msgspec.json.encode(ErrorBody(problem))


def response(refusal: Refusal) -> "HttpResponse":
    """The refusal as a response."""
    # Late: a process apart refuses too, and answers nobody. Django would be most of its time.
    from django.http import HttpResponse

    answer = HttpResponse(body(refusal), status=refusal.status, content_type="application/json")
    if refusal.again_s:
        answer.headers["Retry-After"] = str(refusal.again_s)
    return answer


def too_large(limit: int) -> Refusal:
    """The refusal of a body of more than `limit` bytes."""
    return Refusal(413, f"The request body is longer than {limit:,} bytes.", "Send less.", "body")


# For what Django itself refuses, with a page of HTML, before or beside the views of the API.
BY_STATUS = {
    400: Refusal(400, "The request cannot be read.", "Check its host name, headers and body."),
    403: Refusal(403, "This request is not allowed.", "Send it from a page of this site."),
    404: Refusal(404, "There is nothing at this address.", "See /api/v1/docs for those there are."),
    405: Refusal(405, "This address does not take that method.", "See /api/v1/docs."),
    413: Refusal(413, "The request body is too long.", "Send less.", "body"),
    500: Refusal(500, "The server made a mistake.", "Try again; the server's log has the cause."),
}
