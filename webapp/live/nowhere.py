"""WebSockets at unknown addresses: one error message, then closed."""

from channels.generic.websocket import AsyncWebsocketConsumer

from webapp import errors
from webapp.errors import Refusal

_NOWHERE = Refusal(
    404, "There is no WebSocket at this address.", "Open /ws/runs/{id}/?after=0.", "path"
)


class NowhereConsumer(AsyncWebsocketConsumer):
    """A WebSocket at an unknown address."""

    async def connect(self) -> None:
        await self.accept()
        await self.send(text_data=errors.body(_NOWHERE).decode())
        await self.close(4404)
