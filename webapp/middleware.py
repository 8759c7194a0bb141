"""Four rules for every request: its host is served here, errors of the API are JSON, pages load
nothing from elsewhere, and changes are requested by our own pages only."""

from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from webapp import errors
from webapp.errors import Refusal
from webapp.origin import same_origin as is_same_origin

Handler = Callable[[HttpRequest], HttpResponse]

_SAFE = {"GET", "HEAD", "OPTIONS", "TRACE"}
_FOREIGN = Refusal(
    403,
    "The request comes from a page of another site.",
    "Send it from a page of this site, or from a script without an Origin header.",
    "Origin",
)

# style-src-attr: editors and plots size their parts with style attributes. Styles in sheets and
# scripts stay ours alone, so injected markup can neither run nor load anything.
_POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self'",
    "style-src-attr": "'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "connect-src": "'self' {sockets}",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
_HEADER = "; ".join(f"{name} {value}" for name, value in _POLICY.items())


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
    """Adds the Content-Security-Policy header to every response."""

    def handle(request: HttpRequest) -> HttpResponse:
        answer = inner(request)
        host = request.get_host()
        # Not every browser takes 'self' to cover WebSockets.
        sockets = f"ws://{host} wss://{host}"
        answer.headers["Content-Security-Policy"] = _HEADER.format(sockets=sockets)
        return answer

    return handle


def same_origin(inner: Handler) -> Handler:
    """Refuses changes that pages of other sites request, by the Origin header; there are no forms
    and no sessions that would need a token."""

    def handle(request: HttpRequest) -> HttpResponse:
        origin = request.headers.get("Origin")
        if request.method in _SAFE or is_same_origin(origin, request.get_host()):
            return inner(request)
        return errors.response(_FOREIGN)

    return handle
