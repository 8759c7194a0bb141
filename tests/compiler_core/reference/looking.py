"""A snippet through capture and a look into other compilers, and no further."""

import textwrap

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore

STAGES = tuple(stage for stage in PIPELINE if stage.name in ("capture", "insides"))


def looked(source: str, *insides: report.Inside, **options) -> report.Report:
    """The report of a snippet whose programs were captured and looked into."""
    result = report.Report()
    asked = report.Options(measure=False, insides=insides, **options)
    text = textwrap.dedent(source)
    explore(text, asked, lambda event: report.apply(result, event), stages=STAGES)
    return result


def stages_of(program: report.Program, inside: report.Inside) -> list[report.Stage]:
    """The stages that a look has found, without the one that ends it."""
    return [s for s in program.stages if s.compiler == inside and s.name != "insides"]
