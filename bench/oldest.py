"""As bench.warm, for a core older than what that asks of it: `python -m bench.oldest`.

It uses what every version has had since the first recorded run (2026-11-21-twelve.json): a pipeline
that warms up and explores a text, and events that add up to a report. So a snippet runs on a CPU,
by the core alone; one that has to be given its inputs has no report where the core has no option
for them.
"""

import gc
import json
import os
import signal
import sys
from functools import reduce
from typing import Any

from compiler_core import pipeline, report

_LENGTH, _SECONDS = 8, 300


def main() -> None:
    import torch

    threads = torch.get_num_threads()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    pipeline.warm()
    gc.collect()
    gc.freeze()
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        answer = _forked(asked["source"], asked.get("inputs", ""), threads)
        answers.write(len(answer).to_bytes(_LENGTH, "big") + answer)
        answers.flush()


def _forked(source: str, inputs: str, threads: int) -> bytes:
    """The report of a process of its own; b"" for none."""
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready)
        _explore(source, inputs, threads, done)
    os.close(done)
    with open(ready, "rb") as said:
        answer = said.read()
    os.waitpid(child, 0)
    return answer


def _explore(source: str, inputs: str, threads: int, done: int) -> None:
    import torch

    signal.alarm(_SECONDS)
    try:
        torch.set_num_threads(threads)
        events: list[report.Event] = []
        given: dict[str, Any] = {"inputs": inputs} if inputs else {}
        options = report.Options(device="cpu", compilers=("core",), **given)
        pipeline.explore(source, options, events.append)
        with open(done, "wb") as out:
            out.write(report.encode_report(reduce(report.apply, events, report.Report())))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
