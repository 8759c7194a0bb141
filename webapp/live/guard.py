"""WebSockets may be opened by pages of this site, and by scripts, which send no Origin header; by
each address so many."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from webapp import metrics
from webapp.address import address
from webapp.budget import READ_MIB, Budgets, Places, Purse, weight
from webapp.origin import same_origin

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


def guarded(inner: Application, budgets: Budgets, places: Places) -> Application:
    """`inner`, which never sees a WebSocket that a page of another site opened, nor one for which
    its address has no budget or no place."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        who = address(scope)
        is_paid = _welcome(scope) and not budgets.pay(who, weight(scope["path"]))
        if not is_paid or not places.take(who):
            metrics.count("fuselab_sockets_refused_total")
            return await _deny(receive, send)
        metrics.count("fuselab_sockets")
        purse = Purse(budgets, who)

        async def paid() -> Any:
            message = await receive()
            said = message.get("bytes") or message.get("text") or ""
            await purse.paid(READ_MIB * len(said) / 2**20)
            return message

        try:
            await inner({**scope, "purse": purse}, paid, send)
        finally:
            metrics.count("fuselab_sockets", -1)
            places.give_back(who)

    return application


async def _deny(receive: Any, send: Any) -> None:
    """Refuses a socket before it is open, without a consumer: that would ask Redis first."""
    await receive()
    await send({"type": "websocket.close"})


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
