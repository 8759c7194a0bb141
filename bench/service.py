"""A room of people: `python -m bench.service [--url http://127.0.0.1:8000] [--people 1,10,30,100]`.

On a Fuselab that runs on this machine and is warm, with `FUSELAB_RUN_RATE=100000/min` because all
these people have one address. Each opens a page's WebSocket on a run of their own, of one of the
gallery's examples in turn, all within `--within` seconds, and stays until its end; meanwhile links
to runs that are done are opened one after the other. The runs measure nothing themselves, unless
`--measure` says so; then each is asked afterwards how many processors others took while it
measured, which is next to none where measurements take turns and all else stands still.
With `--pid` of the launcher, the memory of all its processes is read before and after.
"""

import argparse
import asyncio
import itertools
import json
import statistics
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import psutil
from websockets import Origin
from websockets.asyncio.client import connect

from bench.first_ir import has_ir

ENDS = ("done", "failed", "cancelled")
# Whoever has heard nothing of the end of their run by then has lost it.
_PATIENCE_S = 600
_LINK_EVERY_S = 0.2


@dataclass(frozen=True)
class Seen:
    """What one person saw: seconds from the request to the first event and to the end, and the
    state at the end; "lost" where there was none. `ir_s`: seconds to the first IR, None where there
    was none to see. `of`: the snippet, where that matters."""

    first_s: float
    end_s: float
    state: str
    ir_s: float | None = None
    of: str = ""


@dataclass
class Room:
    """What all saw at once, and how many milliseconds links took meanwhile."""

    people: Sequence[Seen]
    links_ms: list[float] = field(default_factory=list)
    # Of each measurement: how many processors others took meanwhile, and whether that was so much
    # that its report warns of it.
    beside: list[tuple[float, bool]] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.service", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--people", default="1,10,30,100")
    parser.add_argument("--within", type=float, default=2.0)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--pid", type=int)
    args = parser.parse_args()
    url = args.url.rstrip("/")
    sources = [each["source"] for each in _get(f"{url}/api/v1/examples")["examples"]]
    for number in map(int, args.people.split(",")):
        before = rss_mb(args.pid)
        room = asyncio.run(_fill(url, sources, number, args.within, args.measure))
        memory = f", memory {before} to {rss_mb(args.pid)} MB" if args.pid else ""
        print(f"{number:4} people: {summary(room)}{memory}")
    return 0


def summary(room: Room) -> str:
    """The room in one line."""
    states = Counter(seen.state for seen in room.people)
    counts = ", ".join(f"{states[state]} {state}" for state in sorted(states))
    first = p95([seen.first_s for seen in room.people if seen.state != "lost"])
    ir = p95([seen.ir_s for seen in room.people if seen.ir_s is not None])
    end = p95([seen.end_s for seen in room.people if seen.state != "lost"])
    links = f"{len(room.links_ms)} links p95 {p95(room.links_ms):.0f} ms"
    events = f"first event p95 {first:.2f} s, first IR p95 {ir:.2f} s, end p95 {end:.2f} s"
    return f"{counts}; {events}; {links}{_beside(room.beside)}"


def _beside(beside: Sequence[tuple[float, bool]]) -> str:
    if not beside:
        return ""
    taken = [others for others, _ in beside]
    return (
        f"; {len(beside)} measurements, beside which others took {statistics.median(taken):.2f} of "
        f"a processor (median), {p95(taken):.2f} (p95); {sum(warned for _, warned in beside)} say "
        "that the machine was busy"
    )


def p95(values: Sequence[float]) -> float:
    """The 95th percentile; of one value itself, of none NaN."""
    if len(values) < 2:
        return values[0] if values else float("nan")
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def rss_mb(pid: int | None) -> int:
    """What a process and all below it have in memory, in MB; 0 for none."""
    if pid is None:
        return 0
    root = psutil.Process(pid)
    family = [root, *root.children(recursive=True)]
    return sum(each.memory_info().rss for each in family) // 2**20


async def _fill(
    url: str, sources: Sequence[str], number: int, within: float, measure: bool
) -> Room:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(number + 2))
    kept = await asyncio.to_thread(_post, url, sources[0], False)
    links: list[float] = []
    looking = asyncio.create_task(open_links(f"{url}/r/{kept}", links))
    chosen = itertools.islice(itertools.cycle(sources), number)
    pause = within / number
    people = (_person(url, source, measure, at * pause) for at, source in enumerate(chosen))
    found = await asyncio.gather(*people)
    looking.cancel()
    room = Room([seen for seen, _ in found], links)
    for _, run in found if measure else ():
        if run is not None:
            room.beside += await asyncio.to_thread(_measured, f"{url}/api/v1/runs/{run}")
    return room


async def _person(url: str, source: str, measure: bool, after: float) -> tuple[Seen, str | None]:
    """What they saw, and of which run; None where it was lost."""
    await asyncio.sleep(after)
    start = time.perf_counter()
    try:
        async with asyncio.timeout(_PATIENCE_S):
            run = await asyncio.to_thread(_post, url, source, measure)
            first, ir, state = await follow(url, run)
    except (OSError, TimeoutError, ValueError):
        return Seen(0.0, 0.0, "lost"), None
    end = time.perf_counter()
    return Seen((first or end) - start, end - start, state, ir and ir - start), run


def _measured(address: str) -> list[tuple[float, bool]]:
    """What others took beside each measurement of a run."""
    report = json.loads(_read(f"{address}?texts=none"))["report"]
    found = [program["measurement"] for program in report["programs"]]
    return [(m["others"], m["busy"]) for m in found if m and m.get("others") is not None]


async def follow(url: str, run: str) -> tuple[float | None, float | None, str]:
    """When the first event and the first IR came, and the state at the end. Raises ValueError if
    there is none."""
    first = ir = None
    address = f"{url.replace('http', 'ws', 1)}/ws/runs/{run}/"
    async with connect(address, origin=Origin(url), max_size=None) as socket:
        async for text in socket:
            message = json.loads(text)
            if "event" in message:
                first = first or time.perf_counter()
            if ir is None and has_ir(message):
                ir = time.perf_counter()
            if message.get("state") in ENDS:
                return first, ir, message["state"]
    raise ValueError("the line ended before the run did")


async def open_links(address: str, took: list[float]) -> None:
    """Opens this address again and again; into `took` goes how many milliseconds it took."""
    while True:
        start = time.perf_counter()
        await asyncio.to_thread(_read, address)
        took.append(1e3 * (time.perf_counter() - start))
        await asyncio.sleep(_LINK_EVERY_S)


def _post(url: str, source: str, measure: bool) -> str:
    mark = "//" if source.startswith("//") else "#"
    body = {"source": f"{source}\n{mark} {time.time_ns()}\n", "options": {"measure": measure}}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1/runs", json.dumps(body).encode(), headers)
    return str(json.loads(_read(request))["id"])


def _get(address: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = json.loads(_read(address))
    return found


def _read(address: str | urllib.request.Request) -> bytes:
    with urllib.request.urlopen(address, timeout=_PATIENCE_S) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    raise SystemExit(main())
