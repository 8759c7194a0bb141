"""Snippets with sizes that vary, and what their report says."""

import re
import textwrap
from functools import reduce

from compiler_core import report
from compiler_core.pipeline.order import explore


def explored(source: str) -> report.Report:
    events: list[report.Event] = []
    options = report.Options(measure=False, device="cpu", target="sm_90")
    explore(textwrap.dedent(source), options, events.append)
    return reduce(report.apply, events, report.Report())


def text(program: report.Program, kind: str) -> str:
    return "".join(a.text for s in program.stages for a in s.artifacts if a.kind == kind)


def checked(program: report.Program) -> str:
    (stage,) = (s for s in program.stages if s.name == "numerics")
    return re.sub(", (also|not) with NaN and infinities.*", "", stage.summary)
