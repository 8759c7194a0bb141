"""The report of a run, as it is stored, served and written by `--json`."""

import msgspec
from msgspec import field

from compiler_core.report.options import Options
from compiler_core.report.program import Candidate, Program
from compiler_core.report.snippet import Device, Failure, Notice, Output, Snippet
from compiler_core.report.text.whole import to_text

# How the schema is changed: docs/decisions/0008-the-report-is-changed-by-adding.md.
SCHEMA = 2


class Report(msgspec.Struct):
    """Everything that is known about a run."""

    schema: int = SCHEMA
    snippet: Snippet = Snippet()
    toolchain: dict[str, str] = field(default_factory=dict)
    device: Device = Device()
    output: Output = field(default_factory=Output)
    notices: list[Notice] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    # Why the snippet itself failed. It may have programs nevertheless.
    error: Failure | None = None
    candidates: list[Candidate] = field(default_factory=list)
    # How times were measured: "60 interleaved samples, 2 threads, ...".
    protocol: str = ""
    options: Options = Options()

    def __str__(self) -> str:
        return to_text(self)
