"""Logs: a line each for people, or JSON for what collects them; both with the run that they are of.

`during(run_id)` is a context: whatever is logged in it is of that run.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_run: ContextVar[str] = ContextVar("run", default="")


@contextmanager
def during(run_id: str) -> Iterator[None]:
    """What is logged is of this run."""
    token = _run.set(run_id)
    try:
        yield
    finally:
        _run.reset(token)


class Fell(logging.Filter):
    """Requests that fell. A 503 that is meant, such as that of /readyz while nothing has run yet,
    is no error, and is in the web server's own log."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.exc_info is not None


class Lines(logging.Formatter):
    """`INFO worker.service: ...`, and at the end the run."""

    def format(self, record: logging.LogRecord) -> str:
        run = _run.get()
        line = f"{record.levelname} {record.name}: {super().format(record)}"
        return f"{line} [run {run}]" if run and run not in line else line


class Json(logging.Formatter):
    """One object a line: time (UTC), level, logger, message, run, and a traceback where there is
    one."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "run": _run.get(),
            "traceback": self.formatException(record.exc_info) if record.exc_info else "",
        }
        return json.dumps({name: value for name, value in said.items() if value})
