"""WebSockets may be opened by pages of this site, and by scripts, which send no Origin header."""

from collections.abc import Awaitable, Callable
from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

from webapp.origin import same_origin

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


def guarded(inner: Application) -> Application:
    """`inner`, which never sees a WebSocket that a page of another site opened."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        door = inner if _welcome(scope) else WebsocketDenier()
        await door(scope, receive, send)

    return application


def _welcome(scope: dict[str, Any]) -> bool:
    headers = {name: value.decode("latin-1") for name, value in scope.get("headers", ())}
    host = headers.get(b"host", "")
    domain, _ = split_domain_port(host)
    served = bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)
    return served and same_origin(headers.get(b"origin"), host, _secure(scope, headers))


def _secure(scope: dict[str, Any], headers: dict[bytes, str]) -> bool:
    """Whether the page's scheme is https: as Django tells it of a request."""
    if settings.SECURE_PROXY_SSL_HEADER:
        return headers.get(b"x-forwarded-proto", "").partition(",")[0].strip() == "https"
    return scope.get("scheme") in ("https", "wss")
