"""Who ask for runs, and read what these say over lines that break."""

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field

from websockets import ConnectionClosed, InvalidMessage, InvalidStatus, Origin
from websockets.asyncio.client import connect

from bench.kills.scene import Scene

ENDS = ("done", "failed", "cancelled")
SAID = 4
_SOURCE = (
    "import time\nfor n in range({said}):\n    say(n)\n    time.sleep({pause})\n"
    "    if n == 0: show()\n# {name}\n"
)
_PATIENCE_S = 90.0


@dataclass
class Reader:
    """What somebody who asked for a run saw of it."""

    run: str
    seq: int = 0
    said: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    state: str = ""
    ended: float = 0.0
    lines: int = 0

    def hear(self, message: dict[str, object]) -> None:
        if "event" in message:
            self._event(int(str(message["seq"])), message["event"])
        elif message.get("state") in ENDS:
            self.state, self.ended = str(message["state"]), time.monotonic()
            if message["seq"] != self.seq:
                self.wrong.append(f"it ends at {message['seq']}, and {self.seq} came last")

    def _event(self, seq: int, event: object) -> None:
        assert isinstance(event, dict)
        begins = event["type"] == "started"
        # The events of a lost worker are gone; the numbers go on where the run begins again, or
        # where it is said that the server of the worker that has it now is not warm yet.
        anew = begins or (event["type"] == "stage_began" and event["name"] == "start")
        if seq != self.seq + 1 and not (anew and seq > self.seq):
            self.wrong.append(f"{seq} came after {self.seq}")
        self.seq = seq
        if begins:
            self.said.clear()
        elif event["type"] == "noticed":
            self.said.append(event["notice"]["text"])


class People:
    """Who ask for runs until they are told to stop, and read."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.readers, self._tasks = scene, list[Reader](), list[asyncio.Task[None]]()
        self.refused = Counter[str]()

    async def ask(self, number: int) -> None:
        for each in range(number):
            await self._ask_once(f"{len(self.readers)} {each} {time.time_ns()}")
            await asyncio.sleep(self.scene.chance.uniform(0.1, 0.5))

    async def _ask_once(self, name: str) -> None:
        pause = self.scene.chance.choice((0.05, 0.3, 1.0))
        source = _SOURCE.format(said=SAID, pause=pause, name=name)
        try:
            status, body = await asyncio.wait_for(_post(self.scene.at, source), 20)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            self.refused[type(error).__name__] += 1
            return
        if status not in (200, 201, 202):
            self.refused[str(status)] += 1
            return
        reader = Reader(str(body["id"]))
        self.readers.append(reader)
        self._tasks.append(asyncio.create_task(_follow(self.scene.at, reader)))

    async def all_heard(self) -> bool:
        """Whether all readers have heard of the end of their runs, within _PATIENCE_S."""
        until = time.monotonic() + _PATIENCE_S
        while not all(reader.state for reader in self.readers):
            if time.monotonic() > until:
                return False
            await asyncio.sleep(0.1)
        return True

    def leave(self) -> None:
        for task in self._tasks:
            task.cancel()


async def _post(at: str, source: str) -> tuple[int, dict[str, object]]:
    return await request(at, "POST", "/api/v1/runs", {"source": source, "options": {}})


async def request(
    at: str, method: str, path: str, sent: object = None
) -> tuple[int, dict[str, object]]:
    host, _, port = at.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        body = b"" if sent is None else json.dumps(sent).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n"
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write((head + kind).encode() + body)
        answer = await reader.read()
    finally:
        writer.close()
    first, _, rest = answer.partition(b"\r\n")
    if not first:
        raise EOFError
    _, _, content = rest.partition(b"\r\n\r\n")
    return int(first.split()[1]), json.loads(content[content.find(b"{") : content.rfind(b"}") + 1])


async def _follow(at: str, reader: Reader) -> None:
    while not reader.state:
        address = f"ws://{at}/ws/runs/{reader.run}/?after={reader.seq}"
        try:
            async with connect(address, origin=Origin(f"http://{at}"), open_timeout=10) as socket:
                reader.lines += 1
                async for text in socket:
                    reader.hear(json.loads(text))
        except (OSError, TimeoutError, ConnectionClosed, InvalidStatus, InvalidMessage):
            pass
        await asyncio.sleep(0.3)
