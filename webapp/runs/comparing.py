"""Two stored reports beside one another, in a process apart."""

import msgspec

from compiler_core import report
from webapp.runs.stored import decoded


def compared(a: bytes, b: bytes) -> bytes:
    """The JSON of a report.Comparison."""
    return msgspec.json.encode(report.compared(decoded(a), decoded(b)))
