"""Where the command line's result goes: the summary, or the report as JSON."""

import os
import sys
from pathlib import Path

from compiler_core import report

# The exit code of a result that has no place: neither a program's failure nor the command line's.
UNWRITTEN = 3
_STDOUT = 1


def write(result: report.Report, to: Path | None) -> None:
    """Prints the summary if `to` is None; else writes the report to that file, `-` being the
    standard output. Raises OSError if that cannot be written; for a file, the summary has then been
    printed."""
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
    """The sentence for an `error` that `write` has raised. Standard output is redirected to
    nowhere: writing what is left in its buffer when the process ends would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT)
    where = f"--json {to}" if to else "the standard output"
    return f"{where} cannot be written: {error.strerror}"
