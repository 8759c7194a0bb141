"""A request's body has so much time to arrive; who sends it byte by byte is told so."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from webapp.errors import Refusal

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
Refuse = Callable[[Refusal, Any], Awaitable[None]]

LATE = Refusal(408, "The request's body did not arrive.", "Send it again, at once.", "body")


def patient(inner: Application, seconds: float, refuse: Refuse) -> Application:
    """`inner`, whose requests have `seconds` for their bodies."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        until = asyncio.get_running_loop().time() + seconds
        is_whole = is_late = False

        async def receive_in_time() -> Any:
            nonlocal is_whole, is_late
            if is_whole:
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                is_whole = is_late = True
                await refuse(LATE, send)
                return {"type": "http.disconnect"}
            is_whole = not message.get("more_body", False)
            return message

        async def send_in_time(message: Any) -> None:
            # Whatever `inner` says of a request that broke off, it has been answered.
            if not is_late:
                await send(message)

        await inner(scope, receive_in_time, send_in_time)

    return application
