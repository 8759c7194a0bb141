"""One snippet, measured in a process of its own: `python -m bench.one FILE` writes the report.

The process is warm as a worker's runner is: the frameworks are imported, a little of each has been
traced and compiled, and Inductor has started.
"""

import sys
from functools import reduce
from pathlib import Path

from compiler_core import pipeline, report


def main(file: str) -> None:
    import torch

    threads = torch.get_num_threads()
    pipeline.warm()
    torch.set_num_threads(threads)
    _start_inductor()
    options = report.Options(device="cpu", compilers=tuple(c.id for c in report.CHOICES))
    events: list[report.Event] = []
    pipeline.explore(Path(file).read_text(), options, events.append)
    result = reduce(report.apply, events, report.Report())
    sys.stdout.buffer.write(report.encode_report(result))


def _start_inductor() -> None:
    from compiler_core.reference import inductor

    inductor.start()


if __name__ == "__main__":
    main(sys.argv[1])
