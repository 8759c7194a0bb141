"""Readers that never read: `python -m bench.slow_readers [--number 20]`.

A web server and a Redis of its own, a run that said 12 MB in many events, one that said as much in
one, and one that has ended with a report of as much. So many sockets ask for all of the first two,
then so many requests for the third, and take nothing in: what the web process holds for them is
what it grows by. It must be less than what they were to be sent.
"""

import argparse
import asyncio
import os
import socket
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import psutil

from bench.sockets import HOST, manage, served

Reader = Callable[[AsyncExitStack], Awaitable[None]]
_STAY_S = 8
_EVENTS, _BYTES = 200, 60_000
# What cannot be compressed away: the kernel would take all of that for whoever reads nothing.
_SAID = """
import random
from compiler_core.report import Notice, Noticed
from webapp.runs import events, lifecycle
from webapp.runs.models import Run
run, numbers = Run.objects.create(source='x', options={{}}), random.Random(0)
lifecycle.start(run.pk)
for _ in range({events}):
    said = numbers.randbytes({bytes} // 2).hex()
    events.append(run.pk, [Noticed(Notice('info', said))])
{then}
print(run.pk)
"""
_MANY, _ONE = ({"events": n, "bytes": _EVENTS * _BYTES // n, "then": ""} for n in (_EVENTS, 1))
_RUN, _LARGE = _SAID.format(**_MANY), _SAID.format(**_ONE)
_ENDED = _SAID.format(**_MANY | {"then": "lifecycle.finish(run.pk, 'done')"})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.slow_readers", description=__doc__)
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--port", type=int, default=8459)
    args = parser.parse_args()
    # Requests of one address that come at once are paid from a budget.
    os.environ["FUSELAB_BUDGET"] = "1000000"
    whole, worst = _EVENTS * _BYTES, 0.0
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), args.port) as web:
        for what, script, come in (
            ("sockets", _RUN, _socket),
            ("sockets of one large event", _LARGE, _socket),
            ("answers", _ENDED, _answer),
        ):
            run = manage("shell", "-v0", "-c", script).splitlines()[-1]
            reader = partial(come, args.port, run)
            each = asyncio.run(_grown(web, reader, args.number)) / args.number
            print(f"{args.number} {what} that nobody reads: {each / 2**20:.2f} MiB each, of "
                  f"{whole / 2**20:.1f} MiB that each was to be sent")  # fmt: skip
            worst = max(worst, each)
    return 0 if worst < whole / 4 else 1


async def _grown(web: psutil.Process, reader: Reader, number: int) -> float:
    """Bytes by which the web process grew, counted from one such reader on."""
    async with AsyncExitStack() as open_ones:
        await reader(open_ones)
        await asyncio.sleep(_STAY_S / 4)
        before = web.memory_info().rss
        for _ in range(number):
            await reader(open_ones)
        await asyncio.sleep(_STAY_S)
        return float(web.memory_info().rss - before)


async def _socket(port: int, run: str, open_ones: AsyncExitStack) -> None:
    """As a browser opens it; a library for it would read what comes until a message is whole."""
    asking = open_ones.enter_context(_deaf(port))
    head = (
        f"GET /ws/runs/{run}/ HTTP/1.1\r\nHost: {HOST}:{port}\r\nOrigin: http://{HOST}:{port}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    asking.sendall(head.encode())


async def _answer(port: int, run: str, open_ones: AsyncExitStack) -> None:
    asking = open_ones.enter_context(_deaf(port))
    asking.sendall(f"GET /api/v1/runs/{run} HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())


def _deaf(port: int) -> socket.socket:
    """A connection of which the kernel keeps next to nothing that nobody reads."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect((HOST, port))
    return made


if __name__ == "__main__":
    raise SystemExit(main())
