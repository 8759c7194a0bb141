"""Runs units in processes of their own: a sample that crashes or does not end is a fault, and the
unit goes on behind it in a new process."""

import json
import os
import queue
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance.sample import Unit
from conformance.verdict import Verdict


@dataclass(frozen=True)
class Judged:
    """The verdict of sample `number` of a unit."""

    unit: Unit
    number: int
    name: str
    verdict: Verdict
    seconds: float


@dataclass(frozen=True)
class Limits:
    """`seconds` a sample, `megabytes` of memory a process, which is replaced between two units
    where it has more; `processes` at a time; after `minutes` no further unit is begun."""

    seconds: float = 60.0
    megabytes: int = 3000
    processes: int = 1
    minutes: float = float("inf")


OnJudged = Callable[[Judged], None]
# A process may take so long to import both frameworks and a database.
_START_SECONDS = 180.0
# What a judging process is started as (child.py).
CHILD = (sys.executable, "-m", "conformance.child")


def run(
    units: Iterable[Unit],
    limits: Limits,
    on_judged: OnJudged,
    done: Callable[[Unit], None] = lambda unit: None,
    command: Sequence[str] = CHILD,
) -> None:
    """Judges all units; `on_judged` is called for each sample, `done` with each unit behind its
    last, one call at a time."""
    waiting: queue.SimpleQueue[Unit] = queue.SimpleQueue()
    for unit in units:
        waiting.put(unit)
    one, until = threading.Lock(), time.monotonic() + 60 * limits.minutes

    def work() -> None:
        with Child(limits, command) as child:
            while time.monotonic() < until:
                try:
                    unit = waiting.get_nowait()
                except queue.Empty:
                    return
                for judged in child.judge(unit):
                    with one:
                        on_judged(judged)
                with one:
                    done(unit)

    workers = [threading.Thread(target=work) for _ in range(limits.processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


class Child:
    """A judging process for one unit after the other, which is started anew where it has ended."""

    def __init__(self, limits: Limits, command: Sequence[str] = CHILD) -> None:
        self.limits, self.command = limits, command
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop()

    def judge(self, unit: Unit) -> Iterator[Judged]:
        """The verdicts of the unit's samples, each as soon as it is there."""
        start: int | None = 0
        while start is not None:
            start = yield from self._from(unit, start)
        if self.process is not None and _megabytes(self.process.pid) > self.limits.megabytes:
            self._stop()

    def _from(self, unit: Unit, start: int) -> Generator[Judged, None, int | None]:
        """The samples from a number on. Returns where to go on in a new process, or None."""
        process = self._started()
        assert process.stdin is not None
        process.stdin.write((json.dumps({**asdict(unit), "start": start}) + "\n").encode())
        process.stdin.flush()
        number, name, began = start - 1, "", time.monotonic()
        while True:
            line = self._line(process, self.limits.seconds if name else _START_SECONDS)
            if line is None:
                fault = Verdict("fault", self._ended(process))
                yield Judged(unit, max(number, start), name, fault, time.monotonic() - began)
                return max(number, start) + 1 if name else None
            if "begins" in line:
                number, name, began = line["begins"], line["name"], time.monotonic()
            elif "ends" in line:
                if "reason" in line:
                    yield Judged(unit, number + 1, "", Verdict("invalid", line["reason"]), 0.0)
                return None
            else:
                verdict = Verdict(line["kind"], line["reason"])
                yield Judged(unit, number, name, verdict, line["seconds"])

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, bufsize=0,
            )  # fmt: skip
            self._buffer = b""
        return self.process

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any] | None:
        """The next line; None where the process has ended, or gives none for so many seconds."""
        assert process.stdout is not None
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not selector.select(max(0.0, until - time.monotonic())):
                    return None
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    return None
                self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def _ended(self, process: subprocess.Popen[bytes]) -> str:
        """Ends the process, and says how it ended."""
        try:
            code = process.wait(0.5)
        except subprocess.TimeoutExpired:
            self._stop()
            return f"no result within {self.limits.seconds:.0f} s"
        self._stop()
        return f"the process ended: signal {-code}" if code < 0 else f"the process ended: {code}"

    def _stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def _megabytes(pid: int) -> float:
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
