"""One snippet, measured in a process of its own: `python -m bench.one FILE [--compilers core]
[--no-measure]` writes the report.

The process is warm as a worker's runner is: the frameworks are imported, a little of each has been
traced and compiled, and Inductor has started. Machine code of a GPU that is not there, and errors
kernel by kernel, are left out: nothing that is recorded comes of them, and they take as long as all
else.
"""

import argparse
import sys
from functools import reduce
from pathlib import Path

from compiler_core import pipeline, report
from compiler_core.pipeline.order import PIPELINE

_LEFT_OUT = ("compile", "disassemble", "precision")
STAGES = tuple(s for s in PIPELINE if s.name not in _LEFT_OUT)
assert len(STAGES) == len(PIPELINE) - len(_LEFT_OUT)


def main() -> None:
    import torch

    args = _arguments()
    threads = torch.get_num_threads()
    pipeline.warm()
    torch.set_num_threads(threads)
    compilers = tuple(c.id for c in report.CHOICES if c.id in args.compilers)
    options = report.Options(device="cpu", compilers=compilers, measure=args.measure)
    events: list[report.Event] = []
    pipeline.explore(args.file.read_text(), options, events.append, stages=STAGES)
    result = reduce(report.apply, events, report.Report())
    sys.stdout.buffer.write(report.encode_report(result))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.one", description=__doc__)
    parser.add_argument("file", type=Path)
    add_options(parser)
    return parser.parse_args()


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the whole bench and one snippet of it are asked for alike."""
    known = ",".join(c.id for c in report.CHOICES)
    usual = ",".join(c.id for c in report.CHOICES if not c.install and not report.mode_of(c.id))
    parser.add_argument("--compilers", type=compilers_named, default=usual, help=f"of {known}")
    parser.add_argument("--no-measure", dest="measure", action="store_false", help="check only")


def compilers_named(text: str) -> list[str]:
    names = text.split(",")
    unknown = sorted(set(names) - {c.id for c in report.CHOICES})
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no compiler {unknown[0]}")
    return names


if __name__ == "__main__":
    main()
