"""Readers that never read: `python -m bench.slow_readers [--number 20]`.

A web server and a Redis of its own, and one run that said 12 MB. So many sockets ask for all of it
and take nothing in: what the web process holds for them is what it grows by. It must be less than
what they were to be sent.
"""

import argparse
import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import psutil
from websockets import Origin
from websockets.asyncio.client import connect

from bench.sockets import HOST, manage, served

_STAY_S = 8
_EVENTS, _BYTES = 200, 60_000
# A run that somebody has just begun.
_RUN = f"""
from compiler_core.report import Notice, Noticed
from webapp.runs import events, lifecycle
from webapp.runs.models import Run
run = Run.objects.create(source='x', options={{}})
lifecycle.start(run.pk)
for _ in range({_EVENTS}):
    events.append(run.pk, [Noticed(Notice('info', 'x' * {_BYTES}))])
print(run.pk)
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.slow_readers", description=__doc__)
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--port", type=int, default=8459)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), args.port) as web:
        run = manage("shell", "-v0", "-c", _RUN).splitlines()[-1]
        each = asyncio.run(_grown(web, f"{HOST}:{args.port}", run, args.number)) / args.number
    whole = _EVENTS * _BYTES
    print(f"{args.number} readers that read nothing: {each / 2**20:.2f} MiB each, of "
          f"{whole / 2**20:.1f} MiB that each was to be sent")  # fmt: skip
    return 0 if each < whole / 4 else 1


async def _grown(web: psutil.Process, at: str, run: str, number: int) -> float:
    """Bytes by which the web process grew, counted from one such reader on."""
    async with AsyncExitStack() as open_ones:

        async def come() -> None:
            address, origin = f"ws://{at}/ws/runs/{run}/", Origin(f"http://{at}")
            await open_ones.enter_async_context(
                connect(address, origin=origin, max_queue=1, open_timeout=20, close_timeout=0.1)
            )

        await come()
        await asyncio.sleep(_STAY_S / 4)
        before = web.memory_info().rss
        for _ in range(number):
            await come()
        await asyncio.sleep(_STAY_S)
        return float(web.memory_info().rss - before)


if __name__ == "__main__":
    raise SystemExit(main())
