"""Every pass that XLA ran, those that changed nothing among them, with its time: from XLA's own
profiler, whose spans are pipelines with passes and further pipelines within."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiler_core import report
from compiler_core.measure.recorded import Span
from compiler_core.reference.xla.pass_names import about
from compiler_core.reference.xla.passes import Change
from compiler_core.wording import counted

NAME = "passes"
# The span of a check between passes, which is no pass.
_CHECKS = "RunInvariantCheckers"
_COLUMNS = [
    report.Column("pipeline"),
    report.Column("pass"),
    report.Column("runs"),
    report.Column("changed", about="Runs after which the module's text was another."),
    report.Column("time", "ms", "Of all its runs, as XLA's profiler has it."),
    report.Column("what it does"),
]
_UNTOLD = "this version of XLA does not tell which passes it ran"


# A pipeline's name with its module, as in jaxlib 0.10: "simplification (jit_f)".
_PIPELINE = re.compile(r"(?P<name>.+) \(\S+\)")


@dataclass(frozen=True)
class Ran:
    """One run of a pass, in microseconds, within the innermost pipeline."""

    pipeline: str
    pass_: str
    us: float


def ran(spans: Sequence[Span]) -> list[Ran]:
    """The runs of passes, in order."""
    return [found for span in spans for found in _within(span, "")]


def _within(span: Span, pipeline: str) -> Iterator[Ran]:
    """A span within a pipeline is a pass, unless it is one that runs a pipeline."""
    own = _pipeline(span)
    within = [found for each in span.inner for found in _within(each, own)]
    if pipeline and not own and not within and span.name != _CHECKS:
        yield Ran(pipeline, span.name, span.duration_us)
    yield from within


def _pipeline(span: Span) -> str:
    """The name of the pipeline that a span is; "" of another. Where no module is named, as in
    jaxlib 0.9, it is what begins with a check and has more than that in it."""
    if named := _PIPELINE.fullmatch(span.name):
        return named["name"]
    begins = len(span.inner) > 1 and span.inner[0].name == _CHECKS
    return span.name if begins else ""


def stage(found: Sequence[Ran], changes: Sequence[Change]) -> report.Stage:
    """One row for each pass of each pipeline, in the order of their first runs."""
    if not found:
        return report.Stage(NAME, "ok", 0.0, summary=_UNTOLD)
    changed = Counter((each.pipeline, each.pass_) for each in changes)
    runs: dict[tuple[str, str], list[float]] = {}
    for each in found:
        runs.setdefault((each.pipeline, each.pass_), []).append(each.us)
    rows = [
        report.Row([*key, len(us), changed[_dumped(*key)], sum(us) / 1e3, about(key[1])])
        for key, us in runs.items()
    ]
    names = {name for _, name in runs}
    idle = names - {name for pipeline, name in runs if changed[_dumped(pipeline, name)]}
    said = (
        f"{counted(len(found), 'run')} of {counted(len(names), 'pass')}, "
        f"of which {len(idle)} changed nothing"
    )
    ms = sum(each.us for each in found) / 1e3
    return report.Stage(NAME, "ok", ms, summary=said, tables=[report.Table(NAME, _COLUMNS, rows)])


def _dumped(pipeline: str, name: str) -> tuple[str, str]:
    """Both names as XLA has them in those of files."""
    return pipeline.replace(" ", "_"), name.replace(" ", "_")
