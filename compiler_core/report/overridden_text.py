"""What became of what a run was asked to override, as text for a terminal."""

from collections.abc import Iterator

from compiler_core.report.columns import table
from compiler_core.report.overrides import spelled
from compiler_core.report.program import Program


def overridden(program: Program) -> Iterator[str]:
    """Each override as the command line takes it, with the reason where it was refused."""
    rows = [[spelled(x.override), x.backend, x.state, x.reason] for x in program.overrides]
    yield from table(["override", "", "", ""], rows)
