"""Events applied to their report, which a process apart can do as well: it needs no Django."""

from collections.abc import Iterable

from compiler_core import report

_LOST = "An event that made no sense at its place was left out of this report."


def apply_all(stream: Iterable[report.Event]) -> report.Report:
    """The report that the events produce when applied in order. Events that do not fit, which a
    hostile runner may send, are left out with a notice."""
    whole = report.Report()
    lost = False
    for event in stream:
        try:
            report.apply(whole, event)
        except IndexError:
            lost = True
    if lost:
        whole.notices.append(report.Notice("error", _LOST, by_service=True))
    return whole


def applied(*payloads: bytes) -> bytes:
    """The JSON of the report of the events in these payloads."""
    return report.encode_report(apply_all(map(report.decode_event, payloads)))
