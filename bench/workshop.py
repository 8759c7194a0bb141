"""A workshop at work: `python -m bench.workshop [--seats 30] [--minutes 10] [--pid N]`.

On a Fuselab that runs on this machine and is warm (`make run`), with its settings as they are: all
seats have one address, as people in a room have. They join, and for so many minutes each types in
the shared text on a line of its own, asks for runs of the gallery's examples, has answers of the
course's exercises checked, loses its network now and then, and two of three follow the leader, who
shows runs and lines. Then it stops by itself and says which of the promises below were kept; exit
code 1 if one was not.

A seat waits longer than another by its turns and by chance. By chance alone, how much longer: the
same waits are dealt to the seats anew, those of each snippet among all who ran it, again and again.

The memory of the launcher's processes that are there from the first quarter to the end is compared:
those of runs come and go. The launcher is the parent of whoever listens at the address on this
machine; `--pid` names another process.
"""

import argparse
import asyncio
import json
import resource
import statistics
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from bench import waits
from bench.checks import Checked
from bench.processes import both, cpu_s, launcher_at, memory
from bench.seats import Leader, Load, Seat
from bench.service import Seen, p95
from bench.typing import Page
from bench.wishes import listed

# Milliseconds from a keystroke to the others' pages and seconds to the first IR, 95th percentiles;
# and how much memory may grow.
KEYSTROKE_MS, FIRST_IR_S, GROWS = 300, 10, 1.1
# Seats come in so many seconds each after the other; after the end, what is on its way has so long.
_JOINS_S, _SETTLES_S, _ENDS_S = 0.2, 30, 180
# The list has so many runs for each that a seat's pauses leave time for: runs take time as well,
# and all are to come through it once.
_LISTED = 0.7
# Of what was refused, and of what was not done, the commonest sentences.
_MOST_COMMON = 8


@dataclass
class Outcome:
    """What is judged of a load. `listed`: how many runs the list has that each seat runs again and
    again; `memory_mb`: of the processes that stay, after a quarter of the time and at the end."""

    keystroke_ms: Sequence[float]
    runs: Sequence[Sequence[Seen]]
    lost_edits: Sequence[str]
    lost_seats: int = 0
    checks: Sequence[Checked] = ()
    followed_ms: Sequence[float] = ()
    memory_mb: tuple[int, int] | None = None
    refused: Sequence[str] = ()
    undone: Sequence[str] = ()
    listed: int = 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.workshop", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--seats", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=60, help="seconds between a seat's runs")
    parser.add_argument("--checks", type=float, default=300, help="and between its exercises")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pid", type=int)
    args = parser.parse_args()
    args.pid = args.pid or launcher_at(args.url)
    try:
        outcome = asyncio.run(_hold(args))
    except OSError as error:
        print(f"{args.url} does not answer as a Fuselab: {error}; start one by make run")
        return 2
    kept = judged(outcome)
    for promise, is_kept in kept.items():
        print(f"{'kept    ' if is_kept else 'NOT KEPT'}  {promise}")
    for what, words in (("refused", outcome.refused), ("not done", outcome.undone)):
        for reason, number in Counter(words).most_common(_MOST_COMMON):
            print(f"{what} {number} times: {reason}")
    return 0 if all(kept.values()) else 1


def judged(outcome: Outcome) -> dict[str, bool]:
    """The promises, each with what was seen, and whether it was kept."""
    runs = [seen for each in outcome.runs for seen in each]
    states = Counter(seen.state for seen in runs)
    keystroke, ir = p95(outcome.keystroke_ms), p95(waits.irs(runs))
    seats = waits.compared(outcome.runs, outcome.listed)
    longest = waits.worst(seats)
    counts = ", ".join(f"{states[state]} {state}" for state in sorted(states))
    found = {
        f"no edit is lost: {len(outcome.lost_edits)} {'; '.join(outcome.lost_edits[:3])}".rstrip():
            not outcome.lost_edits,
        f"no seat is lost: {outcome.lost_seats}": not outcome.lost_seats,
        f"no run is lost: {counts}": bool(runs) and not states["lost"],
        f"no check of an answer fails: {_passed(outcome.checks)}":
            bool(outcome.checks) and all(each.passed for each in outcome.checks),
        f"a keystroke is on the others' pages within {KEYSTROKE_MS} ms, p95: {keystroke:.0f} ms "
        f"(median {_median(outcome.keystroke_ms):.0f}, {len(outcome.keystroke_ms)} arrivals)":
            keystroke <= KEYSTROKE_MS,
        f"the first IR is there within {FIRST_IR_S} s, p95: {ir:.1f} s": ir <= FIRST_IR_S,
        f"no seat waits more than {waits.UNFAIR} times the median for its first IRs, in the mean: "
        f"{longest:.2f}{waits.in_words(seats)}": longest <= waits.UNFAIR,
    }  # fmt: skip
    early, late = outcome.memory_mb or (0, 0)
    seen = f"{early} to {late} MB" if outcome.memory_mb else "nobody looked; give --pid"
    found[f"memory is steady: {seen}"] = 0 < late <= GROWS * early
    return found


def _passed(checks: Sequence[Checked]) -> str:
    """How many passed and after how long, and what the first saw that did not."""
    failed = [f"; {each.exercise}: {each.saw}" for each in checks if not each.passed]
    took = p95([each.s for each in checks])
    outcome = f"{len(checks) - len(failed)} of {len(checks)} passed, p95 after {took:.1f} s"
    return "".join([outcome, *failed[:1]])


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else float("nan")


async def _hold(args: argparse.Namespace) -> Outcome:
    url = args.url.rstrip("/")
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(args.seats + 4))
    with urllib.request.urlopen(f"{url}/api/v1/examples", timeout=30) as answer:
        sources = [each["source"] for each in json.loads(answer.read())["examples"]]
    own = listed(sources, int(_LISTED * 60 * args.minutes / args.every))
    load = Load(url, own, args.every, args.checks, time.perf_counter() + 60 * args.minutes)
    leader = Leader(load, 0, args.seed)
    seats: list[Seat] = [leader, *(Seat(load, n + 1, args.seed) for n in range(args.seats))]
    await leader.open(args.seats)
    for seat in seats[1:]:
        await seat.join(leader)
        await asyncio.sleep(_JOINS_S)
    load.until = time.perf_counter() + 60 * args.minutes
    lines = [asyncio.create_task(line) for seat in seats for line in seat.lines()]
    sampling = asyncio.create_task(memory(args.pid, 60 * args.minutes))
    before = cpu_s(args.pid)
    parts = [asyncio.create_task(part) for seat in seats for part in seat.parts()]
    telling = asyncio.create_task(_report_progress(load, seats))
    await _until_over(load, parts)
    lost = await _lost(leader, seats)
    room = await leader.ask("GET", f"workshops/{leader.code}")
    for task in (*lines, telling):
        task.cancel()
    _print_what_it_took(load, seats)
    for what, seconds in cpu_s(args.pid).items():
        print(f"{what} took {seconds - before.get(what, 0):.1f} s of a processor")
    early = sampling.result() if sampling.done() else {}
    return Outcome(
        load.heard.took_ms,
        [seat.runs for seat in seats],
        lost,
        len(seats) - len(room["seats"]),
        load.checks,
        load.followed_ms,
        both(early),
        [*load.failures, *load.heard.refused],
        load.undone,
        len(own),
    )


async def _until_over(load: Load, parts: Sequence["asyncio.Task[None]"]) -> None:
    """Returns when all parts have ended; those of which one is not over in time are given up."""
    _, late = await asyncio.wait(parts, timeout=load.until - time.perf_counter() + _ENDS_S)
    for task in late:
        task.cancel()
    for task in parts:
        with suppress(asyncio.CancelledError):
            await asyncio.gather(task, return_exceptions=True)
        if not task.cancelled() and task.exception():
            load.failures.append(repr(task.exception()))


async def _lost(leader: Seat, seats: Sequence[Seat]) -> list[str]:
    """What somebody typed that is not in everybody's copy, nor in that of one who comes now."""
    late = Page(len(seats), leader.load.heard)
    address = f"{leader.load.url.replace('http', 'ws', 1)}/ws/workshops/{leader.code}/text/"
    line = asyncio.create_task(late.live(address, leader.load.url, leader.token))
    found = ["nobody looked"]
    until = time.perf_counter() + _SETTLES_S
    while found and time.perf_counter() < until:
        await asyncio.sleep(0.5)
        found = lost(str(late), [seat.page for seat in seats])
    line.cancel()
    return found


def lost(stored: str, pages: Sequence[Page]) -> list[str]:
    """Where a copy is not the stored text, and whose line is not what they typed, in words."""
    apart = [f"copy {at} is another text" for at, page in enumerate(pages) if str(page) != stored]
    return apart + [
        f"seat {at} typed {len(page.wanted)} letters that stay, and {len(page.line())} are there"
        for at, page in enumerate(pages)
        if page.line() != page.wanted
    ]


async def _report_progress(load: Load, seats: Sequence[Seat]) -> None:
    """A line of progress every half minute."""
    while await load.pause(30):
        runs, checks = sum(len(seat.runs) for seat in seats), len(load.checks)
        arrivals = p95(load.heard.took_ms)
        left = max(0, load.until - time.perf_counter())
        ended = f"{runs} runs and {checks} checks ended"
        line = f"{left:.0f} s left: {ended}, keystrokes p95 {arrivals:.0f} ms"
        print(line, file=sys.stderr, flush=True)


def _print_what_it_took(load: Load, seats: Sequence[Seat]) -> None:
    own = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"{len(seats)} people: {sum(seat.page.keystrokes for seat in seats)} keystrokes, "
        f"{sum(seat.page.cuts for seat in seats)} lost networks, "
        f"{len(load.went)} places of the leader, on the followers' pages after "
        f"{p95(load.followed_ms):.0f} ms (p95); the bench itself took "
        f"{own.ru_utime + own.ru_stime:.0f} s of a processor"
    )


if __name__ == "__main__":
    raise SystemExit(main())
