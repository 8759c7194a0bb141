"""Where the command line's result goes: the summary, or the report as JSON."""

import os
import sys
from pathlib import Path

from compiler_core import report

# The exit code of a result that has no place: neither a program's failure nor the command line's.
UNWRITTEN = 3
_STDOUT = 1


def write(result: report.Report, to: Path | None) -> None:
    """The summary where `to` is None, else the report to that file, `-` being the standard output.
    Raises OSError where that cannot be written; of a file, the summary has been printed then."""
    if to is None:
        _print(f"{result}\n".encode())
    elif str(to) == "-":
        _print(report.encode_report(result) + b"\n")
    else:
        _to_file(result, to)


def _to_file(result: report.Report, to: Path) -> None:
    try:
        to.write_bytes(report.encode_report(result))
    except OSError:
        _print(f"{result}\n".encode())
        raise


def _print(text: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def unwritten(to: Path | None, error: OSError) -> str:
    """What is said where `write` has raised `error`. Nothing more is written then: what the process
    has left for its output as it ends would be refused once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT)
    where = f"--json {to}" if to else "the standard output"
    return f"{where} cannot be written: {error.strerror}"
