"""The rows that a run's report has in a table."""

import json

from compiler_core import report
from webapp.workshops.home import figures


def test_names_that_a_stranger_made_long_and_many_are_cut():
    program = report.Program("n" * 60_000, "torch")
    program.compilers = [report.CompilerSummary("c" * 60_000)] * 20_000
    encoded = figures.figures(report.encode_report(report.Report(programs=[program])))
    [rows] = json.loads(encoded)
    assert len(rows) == figures.MOST_ROWS
    assert (len(rows[0][0]), len(rows[0][1])) == (figures.LONGEST, figures.LONGEST)
