"""What all sockets have in common."""

from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer


class Socket(AsyncWebsocketConsumer):
    """A WebSocket whose messages are handled at once. Channels would first look whether connections
    to the database are too old, in the one thread in which all sockets read it: thirty pages would
    wait there for each keystroke. `in_database` drops those that broke wherever it is asked."""

    async def send_part(self, text: str, more: bool) -> None:
        """Sends a part of a message: the last, or one that is followed by `more` of it."""
        await super(AsyncWebsocketConsumer, self).send(
            {"type": "websocket.send", "text": text, "more": more}
        )

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Calls the method that the message's type names."""
        await getattr(self, get_handler_name(message))(message)
