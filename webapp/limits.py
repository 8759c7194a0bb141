"""Refuses requests by their headers and by whom they come from, before their bodies are read."""

from collections.abc import Awaitable, Callable
from math import ceil
from typing import Any

from webapp import errors, policy
from webapp.address import address
from webapp.budget import READ_MIB, SENT_MIB, Budgets, Places, Purse, weight
from webapp.errors import Refusal

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

# After how many seconds somebody is to come again whose address is being answered so often.
_SOON = 5
# A longer body is refused before it is read.
_MOST_READ = 2 * 2**20
_NO_LENGTH = Refusal(
    411, "The request does not say how long its body is.", "Send Content-Length.", "body"
)


def limited(inner: Application, max_bytes: int) -> Application:
    """`inner`, which never sees a request whose body is longer than `max_bytes`, or whose length is
    not declared."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        refusal = _refusal(dict(scope["headers"]), max_bytes)
        await (refuse(refusal, send) if refusal else inner(scope, receive, send))

    return application


def budgeted(inner: Application, budgets: Budgets, places: Places) -> Application:
    """`inner`, which never sees a request that its address has not the budget for, or no place
    beside those that are being answered, and whose bodies and answers are paid by their bytes: who
    has spent it gets the rest as the budget fills again."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        who, cost = address(scope), weight(scope["path"])
        purse = Purse(budgets, who)
        body = READ_MIB * _length(dict(scope["headers"])) / 2**20

        async def paid(message: Any) -> None:
            await purse.paid(SENT_MIB * len(message.get("body", b"")) / 2**20)
            await send(message)

        wait = ceil(purse.charge(cost + body))
        if not wait:
            wait = _SOON
            if places.take(who):
                try:
                    return await inner({**scope, "purse": purse}, receive, paid if cost else send)
                finally:
                    places.give_back(who)
        message = "This address asks for more than one person can read."
        refusal = Refusal(429, message, f"Try again in {wait} s.")
        await refuse(refusal, send, (b"retry-after", str(wait).encode()))

    return application


def _length(headers: dict[bytes, bytes]) -> int:
    """Of a body what is read of it at most, as it was declared."""
    declared = headers.get(b"content-length", b"0")
    if not declared.isdigit() or _is_more(declared, _MOST_READ):
        return _MOST_READ
    return int(declared)


def _refusal(headers: dict[bytes, bytes], max_bytes: int) -> Refusal | None:
    if b"transfer-encoding" in headers:
        return _NO_LENGTH
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and _is_more(length, max_bytes):
        return errors.too_large(max_bytes)
    return None


def _is_more(length: bytes, than: int) -> bool:
    # Python reads no number of thousands of digits.
    digits = length.lstrip(b"0")
    return len(digits) > len(str(than)) or int(digits or b"0") > than


async def refuse(refusal: Refusal, send: Any, *more: tuple[bytes, bytes]) -> None:
    """Answers with the refusal, and with further headers."""
    given = {"content-type": "application/json", "connection": "close", **policy.headers("")}
    headers = [(name.lower().encode(), value.encode()) for name, value in given.items()]
    start = {"type": "http.response.start", "status": refusal.status, "headers": [*headers, *more]}
    await send(start)
    await send({"type": "http.response.body", "body": errors.body(refusal)})
