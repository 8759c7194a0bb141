"""Short messages of WebSockets are sent as they are, long ones in parts where whoever sends them
says so; who may not open one is told what browsers are to forbid, as with every answer; and who
sends more than any page does is hung up on.

A keystroke in a shared text goes to thirty pages. Compressed for each of them it would be longer
than before, and that took a third of the time in which they are told.
"""

from asyncio import Transport
from functools import partial
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import (
    PerMessageDeflate,
    ServerPerMessageDeflateFactory,
)
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.server import ServerProtocol
from websockets.typing import BytesLike

from webapp import policy
from webapp.budget import Budgets
from webapp.unread import crowd, whose

# Bytes; a packet takes more than this in any case.
SHORT = 512
# Frames of one connection, whatever is in them: to take one apart is longer than to send it. Some
# more than the messages at which a person is told so (webapp/live/text.py).
FRAMES_PER_S, MOST_FRAMES = 100, 700
# So many bytes are taken apart before it is looked how many frames they were.
_PIECE = 4096


class _Sparing(PerMessageDeflate):
    def encode(self, frame: Frame) -> Frame:
        is_short = frame.fin and len(frame.data) < SHORT and frame.opcode is not Opcode.CONT
        return frame if is_short else super().encode(frame)


class _Factory(ServerPerMessageDeflateFactory):
    def process_request_params(self, *given: Any) -> Any:
        answer, factory = super().process_request_params(*given)
        return answer, _Sparing(
            factory.remote_no_context_takeover,
            factory.local_no_context_takeover,
            factory.remote_max_window_bits,
            factory.local_max_window_bits,
            factory.compress_settings,
        )


def _reject_with_headers(conn: ServerProtocol, status: Any, text: str) -> Response:
    refusal = ServerProtocol.reject(conn, status, text)
    refusal.headers.update(policy.headers(""))
    return refusal


class Sparing(WebSocketsSansIOProtocol):
    """uvicorn's protocol for WebSockets, which compresses what is worth it."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._budget, self._frames = Budgets(FRAMES_PER_S, MOST_FRAMES), 0
        self._more = self._is_within = False
        self._who = ""
        self._begin, self.conn.send_text = self.conn.send_text, self._send_part  # type: ignore[method-assign]
        self._take, self.conn.recv_frame = self.conn.recv_frame, self._taken  # type: ignore[method-assign]
        self.conn.available_extensions = [
            _Factory(
                server_max_window_bits=12,
                client_max_window_bits=12,
                compress_settings={"memLevel": 5},
            )
        ]
        self.conn.reject = partial(_reject_with_headers, self.conn)  # type: ignore[method-assign]

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._who = whose(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        crowd.leave(self._who, self)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        crowd.enter(self._who, self, self.transport.abort)

    def resume_writing(self) -> None:
        crowd.leave(self._who, self)
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        for at in range(0, len(data), _PIECE):
            self._frames = 0
            super().data_received(data[at : at + _PIECE])
            if self._budget.pay("", self._frames):
                return self.transport.abort()
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            # Nobody else would say so, or hang up.
            said = b"".join(self.conn.data_to_send())
            self.transport.write(said or policy.bad_request("That opens no WebSocket."))
            self.transport.close()

    async def send(self, message: Any) -> None:
        """As uvicorn does; a text that has `more` is followed by the rest of its message. Each part
        waits until the one before it is with the kernel."""
        await self.writable.wait()
        self._more = message.get("more", False)
        await super().send(message)

    def _send_part(self, data: BytesLike, fin: bool = True) -> None:
        send = self.conn.send_continuation if self._is_within else self._begin
        self._is_within = self._more
        send(data, fin and not self._more)

    def _taken(self, frame: Frame) -> None:
        self._frames += 1
        self._take(frame)
