"""What attacks cost others: `python -m bench.hostile`.

The real sandbox around a compiler that does what the source says, and an honest run before, beside
and after what attacks it; then the web, on a database and a Redis of its own. A figure a line;
those of a busy machine are too large.
"""

import argparse
import os
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from statistics import median

import psutil
from msgspec.structs import replace

from bench.sockets import HOST, manage, served
from bench.suites import ROOT
from compiler_core.report import Noticed, Options, Report, apply
from worker.sandbox.limits import MIB, Limits
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session
from worker.sandbox.turn import NoLease

LIMITS = Limits(memory_bytes=256 * MIB, deadline_s=30)
HONEST = "import subprocess; subprocess.run(['true'], check=True)"
SPIN = (
    "import os, time\nfor _ in range({number}):\n    if os.fork() == 0:\n        while True: pass\n"
)
_COME_S = 3
STAYS = "say('there')\ntime.sleep(60)"
HELD = {
    "anonymous memory of five forks": (
        "import os, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0: held = bytearray(b'x') * (120 << 20); time.sleep(60)\n"
        "time.sleep(60)"
    ),
    "files in memory": (
        "import time\nfor n in range(9): open(f'/tmp/{n}', 'wb').write(bytes(50 << 20))\n"
        "time.sleep(60)"
    ),
    "what waits in sockets": (
        "import socket, time\nheld = [socket.socketpair() for _ in range(500)]\n"
        "for one, _ in held:\n"
        "    one.setblocking(False)\n"
        "    try:\n"
        "        while True: one.send(bytes(65536))\n"
        "    except BlockingIOError: pass\n"
        "time.sleep(60)"
    ),
    "threads of processes whose first has ended": (
        "import ctypes, os, threading, time\n"
        "def hold(): time.sleep(0.2); held = bytearray(b'x') * (120 << 20); time.sleep(60)\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        threading.Thread(target=hold).start()\n"
        "        ctypes.CDLL(None).syscall(60, 0)\n"
        "time.sleep(60)"
    ),
}
MANY = 28
WORK = "import time\nwhile time.process_time() < 3: pass"
_FORKS = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
CROWDS = {
    "a fork bomb": _FORKS,
    f"{MANY} processes that spin": SPIN.format(number=MANY) + "while True: pass",
    "200 threads that compute": (
        "import threading, zlib\nheld = bytes(1 << 24)\n"
        "def spin():\n    while True: zlib.crc32(held)\n"
        "for _ in range(200): threading.Thread(target=spin).start()"
    ),
}
# 16 MiB of the smallest values there are.
FRAME = (
    "import struct, time\n"
    'said = b\'{"type":"facts","program":0,"nodes":[\' + b\'[],\' * 5_000_000 + b\'[]]}\'\n'
    "stream.sendall(b'E' + struct.pack('!I', len(said)) + said)\ntime.sleep(60)"
)
_ASKED = """
from webapp.runs.models import Run
from webapp.runs import lifecycle
source = ("x = f'" + "{x}" * 84_000 + "'")
run = Run.objects.create(source=source, options={})
lifecycle.start(run.pk); lifecycle.finish(run.pk, 'failed')
print(run.pk)
"""
_STORED = """
import os, random
from compiler_core import report
from webapp.runs import events, lifecycle
from webapp.runs.models import Run, RunEvent, RunText
run, chance = Run.objects.create(source='x', options={}), random.Random(0)
lifecycle.start(run.pk)
said = 0
try:
    while said < 192 << 20:
        text = chance.randbytes(2 << 20).hex()
        artifact = report.Artifact('ir', 'ir', 'text', text)
        events.append(run.pk, [report.StageDone(0, report.Stage('capture', 'ok', 1.0, [artifact]))])
        said += len(text)
except events.TooMuch:
    pass
kept = sum(len(each.content) for each in RunText.objects.all())
print(said >> 20, kept >> 20)
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__)
    parser.add_argument("--port", type=int, default=8459)
    args = parser.parse_args()
    with ForkServer("deeds", extra=(ROOT / "tests/worker/inside",)) as server:
        server.wait()
        honest = median(_took(server, HONEST) for _ in range(5))
        print(f"an honest run: {1e3 * honest:.0f} ms")
        _surviving(server)
        _memory(server)
        _frames(server)
        _lease(server)
        with _beside(server, f"say('they come')\n{SPIN.format(number=MANY)}{STAYS}"):
            time.sleep(_COME_S)
            print(f"beside {MANY} processes that spin: {1e3 * _took(server, HONEST):.0f} ms")
        _crowds(server)
        after = median(_took(server, HONEST) for _ in range(5))
        print(f"an honest run after all of it: {1e3 * after:.0f} ms")
    _web(args.port)
    return 0


def _took(server: ForkServer, source: str, limits: Limits = LIMITS) -> float:
    """Seconds that a run takes."""
    began = time.perf_counter()
    _report(server, source, limits)
    return time.perf_counter() - began


def _report(server: ForkServer, source: str, limits: Limits = LIMITS) -> Report:
    session = Session(server, Request(source, Options()), limits)
    return reduce(apply, (event for batch in session.batches() for event in batch), Report())


@contextmanager
def _beside(server: ForkServer, source: str) -> Iterator[None]:
    """A run goes on meanwhile, from when it says something until it is cancelled."""
    said, over = threading.Event(), threading.Event()

    def go_on() -> None:
        session = Session(server, Request(source, Options()), LIMITS, cancelled=over.is_set)
        for batch in session.batches():
            if any(isinstance(event, Noticed) for event in batch):
                said.set()

    running = threading.Thread(target=go_on)
    running.start()
    while running.is_alive() and not said.wait(0.1):
        pass
    try:
        yield
    finally:
        over.set()
        running.join()


def _surviving(server: ForkServer) -> None:
    before = {*psutil.pids()}
    with _beside(server, SPIN.format(number=40) + STAYS):
        spinning = {*psutil.pids()} - before
        began = time.perf_counter()
    took = time.perf_counter() - began
    left = sum(map(_computes, spinning))
    print(f"cancelled, with 40 forks that spin: over after {1e3 * took:.0f} ms, {left} alive then")


def _crowds(server: ForkServer) -> None:
    """What three seconds of somebody's work take beside each, and when a bomb is over."""
    alone = _took(server, WORK)
    for name, source in CROWDS.items():
        over = [0.0]

        def go_on(source: str = source, over: list[float] = over) -> None:
            over[0] = _took(server, source, replace(LIMITS, deadline_s=8))

        crowd = threading.Thread(target=go_on)
        crowd.start()
        beside = _took(server, WORK)
        crowd.join()
        print(
            f"beside {name}: 3 s of work took {beside / alone:.2f} times what they take alone; it "
            f"was over after {over[0]:.1f} s of the 8 that it has"
        )


def _computes(pid: int) -> bool:
    try:
        name = " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return False
    return "inside.server" in name and psutil.Process(pid).status() == psutil.STATUS_RUNNING


def _memory(server: ForkServer) -> None:
    for name, source in HELD.items():
        began = time.perf_counter()
        said = _report(server, source)
        took, stage = time.perf_counter() - began, said.error.stage if said.error else "nothing"
        print(f"more than 256 MiB as {name}: ended by {stage} after {took:.2f} s")


def _frames(server: ForkServer) -> None:
    own = psutil.Process()
    before, most, over = own.memory_info().rss, [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.002):
            most.append(own.memory_info().rss - before)

    watching = threading.Thread(target=watch)
    watching.start()
    took = _took(server, FRAME)
    over.set()
    watching.join()
    print(f"a frame of 5,000,000 empty lists: over after {took:.2f} s, the worker held "
          f"{max(most) / MIB:.0f} MiB more")  # fmt: skip


def _lease(server: ForkServer) -> None:
    """How long another waits to measure for one that keeps the lease."""
    lock = threading.Lock()

    class Lease(NoLease):
        def try_acquire(self) -> bool:
            return lock.acquire(blocking=False)

        def release(self) -> None:
            lock.release()

    limits = replace(LIMITS, lease_s=20.0)
    keeps = "import time\nwith lease('cpu'): time.sleep(60)"
    keeping = Session(server, Request(keeps, Options()), limits, lease=lambda _: Lease())
    thread = threading.Thread(target=lambda: [*keeping.batches()])
    thread.start()
    time.sleep(1)
    began = time.perf_counter()
    waits = Request("with lease('cpu'): pass", Options())
    for _ in Session(server, waits, limits, lease=lambda _: Lease()).batches():
        pass
    print(f"another keeps the right to measure: had after {time.perf_counter() - began:.1f} s")
    thread.join()


def _web(port: int) -> None:
    os.environ["FUSELAB_BUDGET"] = "1000000"
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), port):
        run = manage("shell", "-v0", "-c", _ASKED).splitlines()[-1]
        with ThreadPoolExecutor(3) as three:
            looks = [*three.map(_look, [f"http://{HOST}:{port}/r/{run}"] * 12)]
        print(f"a look at an f-string of 250 KB, three at once: {1e3 * max(looks):.0f} ms at most")
        said, kept = manage("shell", "-v0", "-c", _STORED).splitlines()[-1].split()
        print(f"texts of one run that cannot be compressed: {said} MiB said, {kept} MiB kept")


def _look(url: str) -> float:
    began = time.perf_counter()
    with urllib.request.urlopen(url, timeout=30) as answer:
        answer.read()
    return time.perf_counter() - began


if __name__ == "__main__":
    raise SystemExit(main())
