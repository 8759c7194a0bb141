"""Who sits in a workshop and what they do there, without a browser: each asks for runs, types in
the shared text, and follows whoever leads."""

import asyncio
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.cookies import SimpleCookie
from typing import Any

from websockets import Origin, WebSocketException
from websockets.asyncio.client import connect

from bench.checks import COURSE, Checked, answers, checked
from bench.service import Seen, follow
from bench.typing import Heard, Page
from bench.wishes import wishes

_PATIENCE_S = 120
_OWNER = "fuselab_owner"
# A person types some letters, then thinks.
_LETTERS, _LETTER_S, _THINKS_S = (6, 20), (0.12, 0.28), (5.0, 20.0)
# The leader selects another line so often; and each seat's network is lost so often.
_LOOK_S, _CUT_S = 5.0, (60.0, 120.0)


@dataclass
class Load:
    """What all seats are to do, and what they saw. `sources`: what each of them runs; `every_s`: a
    seat's pause between two runs, and `checks_s` between two exercises, in the mean."""

    url: str
    sources: Sequence[str]
    every_s: float
    checks_s: float
    until: float
    heard: Heard = field(default_factory=Heard)
    # When the leader went to a place, and how many milliseconds it took to each who follows.
    went: dict[str, float] = field(default_factory=dict)
    followed_ms: list[float] = field(default_factory=list)
    checks: list[Checked] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    # What became of each run that is not done, in words.
    undone: list[str] = field(default_factory=list)

    async def pause(self, seconds: float) -> bool:
        """Waits so long, but not beyond the end; whether that is to come yet."""
        left = self.until - time.perf_counter()
        await asyncio.sleep(max(0.0, min(seconds, left)))
        return left > seconds


class Seat:
    """A person: their token, and what came of their runs."""

    def __init__(self, load: Load, number: int, seed: int) -> None:
        self.load, self.number = load, number
        self.page = Page(number, load.heard)
        self.runs: list[Seen] = []
        self.token = self.code = ""
        self._chance = random.Random(f"{seed} {number}")
        self._wishes = wishes(load.sources, number, seed)
        self._answers = answers(number, seed)
        # Where the leader was when this page last heard of it.
        self._place = ""

    async def ask(self, method: str, path: str, content: object = None) -> Any:
        """The API's answer. Raises OSError where it refuses."""
        return await asyncio.to_thread(self._ask, method, path, content)

    def _ask(self, method: str, path: str, content: object) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(f"{self.load.url}/api/v1/{path}", body, headers)
        request.method = method
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
                for cookie in answer.headers.get_all("Set-Cookie") or ():
                    self.token = getattr(SimpleCookie(cookie).get(_OWNER), "value", self.token)
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            message = (
                f"{method} {path}: {error.status} {error.read()[:200].decode(errors='replace')}"
            )
            self.load.failures.append(message)
            raise

    async def open(self, number: int) -> None:
        """Opens a workshop for so many others, all of whom may write."""
        wanted = {"title": f"A bench of {number + 1}", "name": "Leader", "course": COURSE}
        self.code = (await self.ask("POST", "workshops", wanted))["code"]

    async def join(self, leader: "Seat") -> None:
        """Takes a seat, follows, and is given the pen."""
        self.code = leader.code
        name = {"name": f"Seat {self.number}"}
        you = (await self.ask("POST", f"workshops/{self.code}/join", name))["you"]
        await leader.ask("PATCH", f"workshops/{self.code}/seats/{you}", {"pen": True})
        if self.number % 3:
            await self.ask("PATCH", f"workshops/{self.code}/seat", {"follows": True})

    def parts(self) -> list[Coroutine[Any, Any, None]]:
        """What goes on at this seat until the load is over."""
        return [self._type(), self._run(), self._check(), self._lose_network()]

    def lines(self) -> list[Coroutine[Any, Any, None]]:
        """The page's lines, which stay until they are cancelled."""
        address = f"{self.load.url.replace('http', 'ws', 1)}/ws/workshops/{self.code}/"
        return [self.page.live(f"{address}text/", self.load.url, self.token), self._attend(address)]

    async def _type(self) -> None:
        while await self.load.pause(self._chance.uniform(*_THINKS_S)):
            for _ in range(self._chance.randint(*_LETTERS)):
                await self.page.type(self._chance)
                if not await self.load.pause(self._chance.uniform(*_LETTER_S)):
                    break

    async def _lose_network(self) -> None:
        while await self.load.pause(self._chance.uniform(*_CUT_S)):
            self.page.cut()

    async def _run(self) -> None:
        pause = self._chance.uniform(0, self.load.every_s)
        while await self.load.pause(pause):
            with suppress(OSError):
                await self._run_once()
            pause = self._chance.uniform(0.5, 1.5) * self.load.every_s

    async def _run_once(self) -> None:
        wish = next(self._wishes)
        mark = "//" if wish.source.startswith("//") else "#"
        text = f"{wish.source}\n{mark} {self.code} {wish.mark}\n"
        options = {"measure": wish.measure}
        start = time.perf_counter()
        run = (await self.ask("POST", "runs", {"source": text, "options": options}))["id"]
        await self.ask("PATCH", f"workshops/{self.code}/seat", {"run": run})
        self.runs.append(found := replace(await seen(self.load.url, run, start), of=wish.source))
        if found.state != "done":
            self.load.undone.append(in_words(await self.ask("GET", f"runs/{run}?texts=none")))

    async def _check(self) -> None:
        pause = self._chance.uniform(0, self.load.checks_s)
        while await self.load.pause(pause):
            with suppress(OSError):
                self.load.checks.append(await self._check_once())
            pause = self._chance.uniform(0.5, 1.5) * self.load.checks_s

    async def _check_once(self) -> Checked:
        exercise, text = next(self._answers)
        start = time.perf_counter()
        return await checked(
            lambda method, path, content: self.ask(
                method, f"workshops/{self.code}/{path}", content
            ),
            lambda run: seen(self.load.url, run, start),
            exercise,
            f"{text}# {self.code}\n",
        )

    async def _attend(self, address: str) -> None:
        """Hears of the workshop, and goes where the leader is."""
        headers = {"Authorization": f"Bearer {self.token}"}
        shown = ""
        while True:
            with suppress(OSError, TimeoutError, WebSocketException):
                async with connect(
                    address, origin=Origin(self.load.url), additional_headers=headers, max_size=None
                ) as socket:
                    async for text in socket:
                        room = json.loads(text).get("room", {})
                        shown = await self.hears(room.get("place", ""), shown)
            await asyncio.sleep(1)

    async def hears(self, place: str, shown: str) -> str:
        """The run that the page shows after it heard where the leader is; `shown` before."""
        # All else that changes in the room is told with the place at which the leader still is.
        if self.number % 3 == 0 or place == self._place or place not in self.load.went:
            return shown
        self._place = place
        self.load.followed_ms.append(1e3 * (time.perf_counter() - self.load.went[place]))
        run = place.removeprefix("/r/").partition("#")[0]
        if run != shown:
            with suppress(OSError):
                await self.ask("GET", f"runs/{run}")
        return run


class Leader(Seat):
    """Who shows the others a run, and lines of it."""

    def parts(self) -> list[Coroutine[Any, Any, None]]:
        return [*super().parts(), self._show()]

    async def _show(self) -> None:
        number, run = 0, ""
        while await self.load.pause(_LOOK_S):
            room = await self.ask("GET", f"workshops/{self.code}")
            own = next(seat["run"] for seat in room["seats"] if seat["id"] == room["you"])
            if own and own["state"] == "done":
                run = own["id"]
            if run:
                place, number = f"/r/{run}#stage={number % 3}&nodes={number}", number + 1
                self.load.went[place] = time.perf_counter()
                with suppress(OSError):
                    await self.ask("PATCH", f"workshops/{self.code}", {"place": place})


def in_words(run: dict[str, Any]) -> str:
    """What the API says of a run that is not done: why it failed, or how far it is."""
    programs = run["report"]["programs"]
    errors = [run["report"].get("error"), *(program.get("error") for program in programs)]
    if error := next(filter(None, errors), None):
        return f"{run['state']}, {error['stage']}: {error['message']}"
    if run["state"] == "queued":
        return f"queued after {_PATIENCE_S} s, {run['ahead']} before it"
    last = [stage["name"] for program in programs for stage in program["stages"]][-1:]
    return f"{run['state']} after {run['seconds']:.0f} s, last told {', '.join(last) or 'nothing'}"


async def seen(url: str, run: str, start: float) -> Seen:
    """What a person sees of their run, by a page's socket."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            first, ir, state = await follow(url, run)
    except (OSError, TimeoutError, ValueError, WebSocketException):
        return Seen(0.0, 0.0, "lost")
    end = time.perf_counter()
    return Seen((first or end) - start, end - start, state, ir and ir - start)
