"""The messages between the sandbox and the trusted side, and their framing.

Two sockets belong to a run. On the *stream* the runner and the trusted side exchange frames: a kind
of one byte, a length of four, a payload. On the *status* socket the runner's init process, which no
snippet can reach, reports in one packet each that it began and how the run ended.
"""

import struct
from collections.abc import Iterator

import msgspec

from compiler_core.report import DEVICES, Options
from worker.sandbox.limits import MIB, Limits

MAX_FRAME = 16 * MIB
# A model of twelve blocks, looked into by every compiler, sends 64 MiB: texts, most of them twice.
MAX_RUN = 192 * MIB
# A run of many programs sends some hundreds.
MAX_EVENTS = 20_000
# With what is asked of the lease, some fifteen times for each measurement.
MAX_FRAMES = 2 * MAX_EVENTS
# Packets of the status socket and of the server's own.
MAX_PACKET = 64 * 1024

# On the server's own socket: it is warm; is it still there; it is.
READY, PING, PONG = b"ready", b"ping", b"pong"
# To a runner's process 1, on its status socket: let all others stand still, and go on.
FREEZE, THAW = b"freeze", b"thaw"
# A folder that the server writes while it warms up (headers that a compiler precompiled) and that
# runners read; the trusted side does not see it.
WARM = "/fuselab/warm"

REQUEST, GRANTED = b"Q", b"G"
# To a runner that goes on: for how many seconds it stood still while others measured.
STOOD = b"S"
EVENT, LEASE, RELEASE = b"E", b"L", b"R"
# Between two stretches of measuring: does somebody go first? What comes back is GRANTED.
REST = b"T"
# The first IR is told: may it go on? What comes back is GRANTED.
PAUSE = b"P"
# What a lease may be asked for: the payload of LEASE.
LEASED = tuple(device.encode() for device in DEVICES)

# The longest payload of each kind that a runner may send.
FROM_RUNNER = {EVENT: MAX_FRAME, LEASE: max(map(len, LEASED)), RELEASE: 0, REST: 0, PAUSE: 0}
TO_RUNNER = {REQUEST: MAX_FRAME, GRANTED: 0, STOOD: 16}

_HEADER = struct.Struct("!cI")


class ServerConfig(msgspec.Struct, frozen=True):
    """The fork server's only command-line argument, as JSON."""

    # The module whose `warm` and `explore` are called.
    entry: str
    control_fd: int
    isolate: bool


class Request(msgspec.Struct, frozen=True):
    """What a runner is asked to do: source and options."""

    source: str
    options: Options


class Began(msgspec.Struct, frozen=True, tag="began"):
    """A runner has begun. Sent with a pidfd of its init process: killing that kills the whole
    runner."""


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """How a runner ended; `code` is the exit code, or the number of the signal."""

    how: str
    code: int = 0


class NotBegun(msgspec.Struct, frozen=True, tag="not_begun"):
    """The fork server could not start a runner, and the reason."""

    reason: str


Status = Began | Ended | NotBegun


class ProtocolViolation(Exception):
    """A runner sent something that no correct runner sends; the text says what."""


class Flood(ProtocolViolation):
    """A runner sent more than one run may send."""


class FrameReader:
    """Splits a byte stream into frames. A frame that is too long is refused by its header."""

    def __init__(self, allowed: dict[bytes, int], total: int) -> None:
        self._allowed, self._buffer = allowed, bytearray()
        self._total = self._left = total
        self._frames = 0

    @property
    def taken(self) -> int:
        """Bytes of the frames so far."""
        return self._total - self._left

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(kind, payload) of each frame that `data` completes. Raises ProtocolViolation."""
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            kind, length = self._header()
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            self._left -= end
            self._frames += 1
            if self._frames > MAX_FRAMES:
                raise Flood(f"more than {MAX_FRAMES:,} frames")
            yield kind, payload

    def _header(self) -> tuple[bytes, int]:
        kind, length = _HEADER.unpack_from(self._buffer)
        if kind not in self._allowed:
            raise ProtocolViolation(f"a frame of the unknown kind {kind!r}")
        if length > self._allowed[kind]:
            raise ProtocolViolation(f"a frame of {length} bytes where {self._allowed[kind]} may be")
        if length > self._left:
            raise Flood(f"more than {MAX_RUN // MIB} MiB")
        return kind, length


def pack(kind: bytes, payload: bytes = b"") -> bytes:
    """The bytes of one frame."""
    return _HEADER.pack(kind, len(payload)) + payload


encode = msgspec.json.Encoder().encode
decode_config = msgspec.json.Decoder(ServerConfig).decode
decode_limits = msgspec.json.Decoder(Limits).decode
decode_request = msgspec.json.Decoder(Request).decode
decode_status = msgspec.json.Decoder(Status).decode
