"""Decoding a report that a person gives: as it was written, or within a run as the API returns
it."""

import msgspec

from compiler_core.report.migrate import decode_report
from compiler_core.report.report import Report


class _Given(msgspec.Struct):
    """What a report has, and what a run has."""

    programs: msgspec.Raw = msgspec.Raw()
    report: msgspec.Raw = msgspec.Raw()


def report_given(content: bytes) -> Report:
    """The report in `content`. Raises msgspec.MsgspecError if it contains none."""
    found = msgspec.json.decode(content, type=_Given)
    if not (bytes(found.report) or bytes(found.programs)):
        raise msgspec.ValidationError("this is no report, and no run has one in it")
    return decode_report(bytes(found.report) or content)
