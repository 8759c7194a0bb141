"""Random faults: `python -m bench.kills [--rounds 20] [--seed 1] [--database postgresql]`.

A launcher's web, worker and Redis of its own, on this machine alone, with the worker's compiler
replaced by one that does what the source says (the walls are the real ones). People ask for runs
all the while, each with a reader that connects again wherever its line breaks. Each round something
is killed, stopped or taken away; then all runs must end: done with everything that they said, once
and in order, or failed with what happened. Only processes that this one started are touched. The
clock that is set is theirs, and not the machine's, for other people live by that.
"""

import argparse
import asyncio
import os
import random
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.kills.databases import KINDS, Database
from bench.kills.faults import KINDS_OF_FAULTS, faults, one_of_each_kind
from bench.kills.people import ENDS, SAID, People, Reader, request
from bench.kills.scene import DEADLINE_S, Scene
from bench.sockets import manage
from launcher.__main__ import port_problem
from tests.postgresql import NotThere

# What a run may say of its end where somebody ended a part of the service.
_TRUE_REASONS = (
    "The run was cut off because the sandbox that it ran in ended.",
    "The run could not be started",
    "The worker that had the run ended before the run did, and so did the next one.",
)
# And what only where this befell it: a run takes four seconds of the ten that it has, and passes
# them where it stands still for eight.
_KILLED = (
    "The run's process was ended by SIGKILL (a kill by itself, or by whoever runs the machine)"
)
_LATE = f"The run was stopped at its deadline of {DEADLINE_S} s while busy with "
_TRUE_OF = {
    "runner killed": (_KILLED,),
    **{f"{who} stopped": (_LATE,) for who in ("runner", "process 1", "fork server", "worker")},
}


@dataclass
class Tally:
    """What came of all rounds."""

    states: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    slowest_s: float = 0.0


async def _rounds(scene: Scene, numbers: range, short: bool) -> Tally:
    tally, known = Tally(), faults(scene)
    drawn = one_of_each_kind(known, scene.chance) if short else known
    for at in numbers:
        name, strike, who = drawn[at] if at < len(drawn) else scene.chance.choice(known)
        people = People(scene)
        await people.ask(2)
        others = asyncio.create_task(people.ask(3))
        struck = await strike(scene, who)
        over = time.monotonic()
        await others
        heard = await people.all_heard()
        people.leave()
        last = max((reader.ended for reader in people.readers), default=over) - over
        states = Counter(reader.state or "NOT ENDED" for reader in people.readers)
        problems = await _problems(scene, people.readers, name)
        tally.states += states
        tally.problems += (
            problems if struck and heard else [*problems, f"{name}: not struck or heard"]
        )
        tally.slowest_s = max(tally.slowest_s, last)
        refused = f", not accepted: {dict(people.refused)}" if people.refused else ""
        again = sum(max(0, reader.lines - 1) for reader in people.readers)
        print(
            f"{at + 1:3} {name:20} {dict(states)}, the last {max(0.0, last):.1f} s after it, "
            f"{again} lines opened again{refused}{''.join(f'; {each}' for each in problems)}",
            flush=True,
        )
    return tally


async def _problems(scene: Scene, readers: list[Reader], fault: str) -> list[str]:
    found = []
    for reader in readers:
        found += [f"{reader.run}: {each}" for each in reader.wrong]
        if reader.state == "done" and reader.said != [*map(str, range(SAID))]:
            found.append(f"{reader.run} is done and said {reader.said}")
        if reader.state == "failed":
            _, run = await request(scene.at, "GET", f"/api/v1/runs/{reader.run}")
            message = _message(run)
            if not message.startswith((*_TRUE_REASONS, *_TRUE_OF.get(fault, ()))):
                found.append(f"{reader.run} failed: {message!r}")
    return found


def _message(run: dict[str, object]) -> str:
    report = run.get("report")
    error = report.get("error") if isinstance(report, dict) else None
    return str(error["message"]) if error else ""


def _left(database: Database) -> list[str]:
    """Runs of the database that did not end, or were begun again more than once."""
    return [
        f"{run}: {state}, lost {lost} times"
        for run, state, lost in database.runs()
        if state not in ENDS or lost > 1
    ]


async def _all(
    folder: Path,
    database: Database,
    first: int,
    rounds: int,
    seed: int,
    port: int,
    short: bool,
) -> int:
    this = asyncio.current_task()
    assert this is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, this.cancel)
    scene = Scene(folder, port, random.Random(seed), database)
    os.environ["DATABASE_URL"] = scene.environment["DATABASE_URL"]
    await asyncio.to_thread(manage, "migrate", "--noinput", "--verbosity=0")
    await scene.begin()
    try:
        await asyncio.sleep(5)
        tally = await _rounds(scene, range(first - 1, first - 1 + rounds), short)
        # The end of all takes a server with it that was started meanwhile.
        tally.problems += _left(scene.database)
    finally:
        await scene.end()
    _, alive = psutil.wait_procs([*scene.seen], timeout=5)
    files = sorted(str(each.relative_to(folder)) for each in (folder / "tmp").rglob("*"))
    problems = tally.problems
    problems += [f"a process is left: {each}" for each in alive]
    problems += [f"a file is left: {each}" for each in files]
    print(
        f"{rounds} rounds: {sum(tally.states.values())} runs accepted, {dict(tally.states)}, the "
        f"last {tally.slowest_s:.1f} s after its fault; {len(problems)} problems"
    )
    for each in problems:
        print(f"  {each}")
    return 1 if problems else 0


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.kills", description=__doc__)
    parser.add_argument("--rounds", type=_number, default=20)
    parser.add_argument("--first", type=_number, default=1, help="the number of the first round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--short", action="store_true", help="three rounds: a kill, a stop and another fault, drawn"
    )
    parser.add_argument("--port", type=int, default=8467)
    parser.add_argument("--database", choices=KINDS, default="sqlite")
    parser.add_argument("--log", type=Path, help="where to keep what the services said")
    args = parser.parse_args()
    if problem := port_problem(args.port):
        print(problem)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            with KINDS[args.database](folder) as database:
                rounds = len(KINDS_OF_FAULTS) if args.short else args.rounds
                asked = (args.first, rounds, args.seed, args.port, args.short)
                return asyncio.run(_all(folder, database, *asked))
        except NotThere as reason:
            print(reason)
            return 2
        except asyncio.CancelledError:
            print("It was ended before its last round.")
            return 1
        finally:
            if args.log:
                args.log.write_text((folder / "log").read_text())


if __name__ == "__main__":
    raise SystemExit(main())
