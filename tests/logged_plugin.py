"""What is logged during a test, for the few that ask.

pytest's own listening is switched off (`-p no:logging` in pyproject.toml): it adds handlers to
every logger that does not propagate, six times a test, and Dynamo tells all that it does, as JSON,
once anybody listens: a tenth of the time of tests that compile.
"""

import logging
from collections.abc import Iterator

import pytest


class _Keeping(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    """The records of every logger that there is when the test begins, as they come."""
    kept, root = _Keeping(), logging.getLogger()
    known = [x for x in root.manager.loggerDict.values() if isinstance(x, logging.Logger)]
    heard = [root, *(logger for logger in known if not logger.propagate)]
    for logger in heard:
        logger.addHandler(kept)
    yield kept.records
    for logger in heard:
        logger.removeHandler(kept)
