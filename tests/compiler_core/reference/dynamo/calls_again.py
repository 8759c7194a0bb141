"""What Dynamo's look at a snippet's later calls has found."""

from compiler_core import report
from tests.compiler_core.reference.looking import looked, stages_of


def seen(source: str) -> report.Program:
    """The one program of a snippet."""
    (program,) = looked(source, "dynamo").programs
    return program


def entries(program: report.Program, kind: report.FindingKind) -> list[report.Finding]:
    """Dynamo's entries of a kind."""
    return [f for f in program.findings if f.kind == kind and f.compiler == "dynamo"]


def table_of(program: report.Program, name: str) -> list[dict[str, report.Cell]]:
    """The rows of a stage's tables, by column."""
    (stage,) = [s for s in stages_of(program, "dynamo") if s.name == name]
    return [
        {"line": row.line, **dict(zip((c.title for c in table.columns), row.cells, strict=True))}
        for table in stage.tables
        for row in table.rows
    ]
