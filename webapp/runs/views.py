"""What the API shows of a run."""

import msgspec

from compiler_core import report
from webapp.runs import events
from webapp.runs.models import FINAL, Run
from webapp.runs.wire import RunView


def view(run: Run, mine: bool) -> RunView:
    return RunView(
        id=run.pk,
        url=run.url,
        state=run.state,
        seq=run.last_seq,
        created=run.created,
        started=run.started,
        finished=run.finished,
        expires=run.expires,
        shared=run.shared,
        mine=mine,
        source=run.source,
        options=msgspec.convert(run.options, report.Options),
        report=msgspec.Raw(report_json(run)),
    )


def report_json(run: Run) -> bytes:
    """The frozen report of a run that has ended, else the report so far, always of the present
    schema."""
    if run.state in FINAL:
        return report.current(bytes(run.report))
    return report.encode_report(events.report_so_far(run.pk))


def whole_report(run: Run) -> report.Report:
    return report.decode_report(report_json(run))
