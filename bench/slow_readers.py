"""Readers that never read: `python -m bench.slow_readers [--number 20]`.

A web server and a Redis of its own, a run that said 12 MB in many events, one that said as much in
one, one that has ended with a report of as much, and one with a text of as much. So many sockets
ask for all of the first two; then so many requests for the third, for the text, and for the page's
largest file, which is of as much; from as many addresses as may ask so often. They take nothing in:
what the web process holds for them is what it grows by. It must be less than a twentieth of what
they were to be sent. Meanwhile somebody else opens the page of a run again and again.
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

from bench.service import open_links, p95
from bench.sockets import HOST, manage, served
from bench.suites import ROOT

Reader = Callable[[int, AsyncExitStack], Awaitable[None]]
# Answers that wait for their reader are hung up on after twenty seconds: all are there at once for
# some.
_STAY_S, _BETWEEN_S = 8, 0.02
_BUILT = "webapp/static/app/assets"
# No address is answered more often at a time.
_OF_ADDRESS = 100
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
_TEXT = f"""
import random
from compiler_core import report
from webapp.runs import events, lifecycle
from webapp.runs.models import Run
run = Run.objects.create(source='x', options={{}})
lifecycle.start(run.pk)
text = report.Artifact('a', 'ir', 'text', random.Random(0).randbytes({_EVENTS * _BYTES} // 2).hex())
found = report.ProgramFound(0, 'f', 'torch', report.Entry(1), [])
done = report.StageDone(0, report.Stage('fold', 'ok', 1.0, [text]))
events.append(run.pk, [found, done])
lifecycle.finish(run.pk, 'done')
print(run.pk)
"""
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
            ("answers with a text", _TEXT, _text),
            ("files of the page", _TEXT, _file),
        ):
            run = manage("shell", "-v0", "-c", script).splitlines()[-1]
            reader = partial(come, args.port, run)
            grown, opened = asyncio.run(_grown(web, reader, args.number, f"{args.port}/r/{run}"))
            each = grown / args.number
            print(f"{args.number} {what} that nobody reads: {each / 2**20:.2f} MiB each, of "
                  f"{whole / 2**20:.1f} MiB that each was to be sent; the web has "
                  f"{web.memory_info().rss >> 20} MiB; {len(opened)} links meanwhile, p95 "
                  f"{p95(opened):.0f} ms")  # fmt: skip
            worst = max(worst, each)
    return 0 if worst < whole / 20 else 1


async def _grown(
    web: psutil.Process, reader: Reader, number: int, link: str
) -> tuple[float, list[float]]:
    """Bytes by which the web process grew, counted from one such reader on, and how many
    milliseconds a link took meanwhile, each time."""
    opened: list[float] = []
    async with AsyncExitStack() as open_ones:
        await reader(0, open_ones)
        await asyncio.sleep(_STAY_S / 4)
        before = web.memory_info().rss
        looking = asyncio.create_task(open_links(f"http://{HOST}:{link}", opened))
        for which in range(number):
            await reader(which, open_ones)
            await asyncio.sleep(_BETWEEN_S)
        await asyncio.sleep(_STAY_S)
        looking.cancel()
        return float(web.memory_info().rss - before), opened


async def _socket(port: int, run: str, which: int, open_ones: AsyncExitStack) -> None:
    """As a browser opens it; a library for it would read what comes until a message is whole."""
    asking = open_ones.enter_context(_deaf(port, which))
    head = (
        f"GET /ws/runs/{run}/ HTTP/1.1\r\nHost: {HOST}:{port}\r\nOrigin: http://{HOST}:{port}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    asking.sendall(head.encode())


async def _answer(port: int, run: str, which: int, open_ones: AsyncExitStack) -> None:
    _get(port, f"/api/v1/runs/{run}", which, open_ones)


async def _text(port: int, run: str, which: int, open_ones: AsyncExitStack) -> None:
    _get(port, f"/api/v1/runs/{run}/artifacts/0.fold.a", which, open_ones)


async def _file(port: int, run: str, which: int, open_ones: AsyncExitStack) -> None:
    """The largest there is: of another size than what runs said."""
    [largest] = sorted((ROOT / _BUILT).iterdir(), key=lambda file: file.stat().st_size)[-1:]
    _get(port, f"/static/app/assets/{largest.name}", which, open_ones)


def _get(port: int, path: str, which: int, open_ones: AsyncExitStack) -> None:
    asking = open_ones.enter_context(_deaf(port, which))
    asking.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())


def _deaf(port: int, which: int) -> socket.socket:
    """A connection of which the kernel keeps next to nothing that nobody reads."""
    made = socket.socket()
    made.bind((f"127.0.0.{2 + which // _OF_ADDRESS}", 0))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect((HOST, port))
    return made


if __name__ == "__main__":
    raise SystemExit(main())
