"""A process that is warm as a worker's is, and forks for each snippet that it is told to measure.

`python -m bench.warm` reads one JSON object a line, of Asked, and writes for each the length of a
report as eight bytes and the report; length 0 where the forked process came to none. The core may
be another version's: the process takes the one in its working directory.
"""

import gc
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import get_args

import msgspec

from compiler_core import pipeline, report
from compiler_core.pipeline.context import Lease, no_lease
from compiler_core.pipeline.order import PIPELINE

ROOT = Path(__file__).resolve().parent.parent
# Machine code of a GPU that is not there, and errors kernel by kernel, are left out: nothing that
# is recorded comes of them, and they take as long as all else.
_LEFT_OUT = ("compile", "disassemble", "precision")
STAGES = tuple(s for s in PIPELINE if s.name not in _LEFT_OUT)
_LENGTH = 8
SECONDS = 300


class Asked(msgspec.Struct, frozen=True):
    """A snippet, the inputs of what it does not call, and what is done with it. `turns` is the
    file of a batch whose snippets compile side by side, blank where it is alone."""

    source: str
    compilers: tuple[str, ...]
    inputs: str = ""
    measure: bool = True
    device: report.DeviceChoice = "cpu"
    timeline: bool = False
    overrides: tuple[report.Override, ...] = ()
    turns: str = ""


class Ended(Exception):
    """The process has ended, and says why where its errors go."""


@dataclass
class Warm:
    """The process, started when it is first asked; `core` is the folder that has the compiler core
    that it measures, `module` what is run there."""

    core: Path = ROOT
    module: str = "bench.warm"
    _process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    def measure(self, asked: Asked) -> report.Report | None:
        """The report; None where the forked process ended without one. Raises Ended where the
        process itself did, as one does whose core is older than what this bench asks of it."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(asked) + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise Ended from None
        said = process.stdout.read(_LENGTH)
        if len(said) < _LENGTH:
            raise Ended
        length = int.from_bytes(said)
        return report.decode_report(process.stdout.read(length)) if length else None

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.wait()
        self._process = None

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            path = os.pathsep.join([str(self.core), str(ROOT)])
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=self.core,
                env={**os.environ, "PYTHONPATH": path},
            )
        return self._process


def main() -> None:
    import torch

    threads = torch.get_num_threads()
    answers = os.fdopen(os.dup(1), "wb")
    # What snippets print is not an answer.
    os.dup2(2, 1)
    pipeline.warm()
    # As a worker does: what no collection visits stays in pages that the forked processes share.
    gc.collect()
    gc.freeze()
    for line in sys.stdin.buffer:
        answer = _forked(msgspec.json.decode(line, type=Asked), threads)
        answers.write(len(answer).to_bytes(_LENGTH) + answer)
        answers.flush()


def _forked(asked: Asked, threads: int) -> bytes:
    """The report of a process of its own, which ends after SECONDS at the latest; b"" for none."""
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready)
        _explore(asked, threads, done)
    os.close(done)
    with open(ready, "rb") as said:
        answer = said.read()
    os.waitpid(child, 0)
    return answer


def _explore(asked: Asked, threads: int, done: int) -> None:
    # A compiler that never ends ends here, by the signal's usual effect.
    signal.alarm(SECONDS)
    try:
        with open(done, "wb") as out:
            out.write(report.encode_report(_in_turn(asked, threads)))
    finally:
        os._exit(0)


def _in_turn(asked: Asked, threads: int) -> report.Report:
    if not asked.turns:
        return explored(asked, threads)
    # Only here: a core that is older than compiler_core/measure/rest.py can be measured alone.
    from bench.turns import Turns

    turns = Turns(Path(asked.turns))
    with turns.compiling():
        return explored(asked, threads, turns.measuring)


def explored(asked: Asked, threads: int, lease: Lease = no_lease) -> report.Report:
    """The report of a snippet, in this process."""
    import torch

    torch.set_num_threads(threads)
    chosen = [c for c in get_args(report.CompilerChoice) if c in asked.compilers]
    options = report.Options(
        device=asked.device, compilers=tuple(chosen), measure=asked.measure, inputs=asked.inputs,
        timeline=asked.timeline, overrides=asked.overrides,
    )  # fmt: skip
    events: list[report.Event] = []
    pipeline.explore(asked.source, options, events.append, lease=lease, stages=STAGES)
    return reduce(report.apply, events, report.Report())


if __name__ == "__main__":
    main()
