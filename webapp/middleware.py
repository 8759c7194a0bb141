"""Six rules for every request: its host is served here, errors of the API are JSON, pages load
nothing from elsewhere, changes are requested by our own pages only, nobody has a connection to
the database for as long as they read their answer, and what took long is owed by whoever asked."""

import time
from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.db import connections
from django.http import HttpRequest, HttpResponse

from webapp import errors, policy
from webapp.charged import purse_of
from webapp.errors import Refusal
from webapp.origin import same_but_scheme
from webapp.origin import same_origin as is_same_origin

Handler = Callable[[HttpRequest], HttpResponse]

_SAFE = {"GET", "HEAD", "OPTIONS", "TRACE"}
_FOREIGN = Refusal(
    403,
    "The request comes from a page of another site.",
    "Send it from a page of this site, or from a script without an Origin header.",
    "Origin",
)

_OTHER_SCHEME = Refusal(
    403,
    "The request comes from this site by another scheme than it is served by.",
    "Open the page at the address that it is served at; a proxy in front that ends TLS needs "
    "FUSELAB_HTTPS=1.",
    "Origin",
)


def json_errors(inner: Handler) -> Handler:
    """Under /api, an HTML error of Django becomes one of errors.BY_STATUS."""

    def handle(request: HttpRequest) -> HttpResponse:
        answer = inner(request)
        if answer.status_code < 400 or not request.path.startswith("/api/"):
            return answer
        if answer.headers.get("Content-Type", "").startswith("application/json"):
            return answer
        refused = errors.response(errors.BY_STATUS.get(answer.status_code, errors.BY_STATUS[500]))
        if "Allow" in answer.headers:
            refused.headers["Allow"] = answer.headers["Allow"]
        return refused

    return handle


def known_host(inner: Handler) -> Handler:
    """Refuses a host that is not served, naming the host and the setting, where Django would only
    say "Bad Request"."""

    def handle(request: HttpRequest) -> HttpResponse:
        try:
            request.get_host()
        except DisallowedHost:
            host = request.META.get("HTTP_HOST", "")
            return errors.response(
                Refusal(
                    400,
                    f'This server does not answer to the host name "{host[:80]}".',
                    "Use the server's own address, or add the name to FUSELAB_ALLOWED_HOSTS.",
                    "Host",
                )
            )
        return inner(request)

    return handle


def content_security_policy(inner: Handler) -> Handler:
    """Adds to every response, refusals among them, what browsers are told to forbid."""

    def handle(request: HttpRequest) -> HttpResponse:
        answer = inner(request)
        for name, value in policy.headers(_served_host(request), request.path).items():
            answer.headers.setdefault(name, value)
        return answer

    return handle


def _served_host(request: HttpRequest) -> str:
    try:
        return request.get_host()
    except DisallowedHost:
        return ""


def same_origin(inner: Handler) -> Handler:
    """Refuses changes that pages of other sites request, by the Origin header; there are no forms
    and no sessions that would need a token."""

    def handle(request: HttpRequest) -> HttpResponse:
        origin = request.headers.get("Origin")
        host, secure = request.get_host(), request.is_secure()
        if request.method in _SAFE or is_same_origin(origin, host, secure):
            return inner(request)
        other = same_but_scheme(origin, host, secure)
        return errors.response(_OTHER_SCHEME if other else _FOREIGN)

    return handle


def paid_by_time(inner: Handler) -> Handler:
    """Has whoever asks owe what a request took that was made to take long, whatever by."""

    def handle(request: HttpRequest) -> HttpResponse:
        began = time.thread_time()
        try:
            return inner(request)
        finally:
            if purse := purse_of(request):
                purse.took(1e3 * (time.thread_time() - began))

    return handle


def database_let_go(inner: Handler) -> Handler:
    """Closes this thread's connections to the database once the answer is made, which Django does
    when it has been read."""

    def handle(request: HttpRequest) -> HttpResponse:
        answer = inner(request)
        for each in connections.all(initialized_only=True):
            if not each.in_atomic_block:
                each.close()
        return answer

    return handle
