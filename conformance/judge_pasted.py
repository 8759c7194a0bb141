"""Whether the run of a snippet ends well: with programs whose numbers are right, or with sentences
that people understand."""

import re
from collections.abc import Iterator
from functools import reduce

from compiler_core import report
from compiler_core.errors import REPORT_IT
from compiler_core.pipeline.order import explore
from conformance.sample import PastedSample
from conformance.verdict import Verdict

_OPTIONS = report.Options(measure=False, target="none", device="cpu")
# What is a name of ours, of the frameworks' insides or of this machine, to whoever reads it.
_INTERNAL = re.compile(
    r"Traceback|compiler_core|site-packages|FakeTensor|SymInt|SymFloat|VariableTracker|_dynamo/|"
    r"\b0x[0-9a-f]{6,}|<locals>|BufferKey|JitTracer|ShapedArray\(|\bBatchTracer|_orig_mod|"
    r"NoneType' object is not|\[rank0\]|MetadataMutation|Session\b|LeavesGraph|proxy"
)
# The longest sentence of a framework's, and what we say before it.
_LONGEST = 700


def judge(sample: PastedSample) -> Verdict:
    """What became of the run."""
    events: list[report.Event] = []
    explore(sample.text, _OPTIONS, events.append)
    found = reduce(report.apply, events, report.Report())
    bad = next(_bad(found), "")
    if bad:
        return Verdict("fault", bad)
    off = next((f"{p.name}: {n.error}" for p in found.programs for n in _off(p)), "")
    if off:
        return Verdict("wrong", off)
    errors = list(_errors(found))
    if errors:
        return Verdict("refused", errors[0].message)
    return Verdict("native" if found.programs else "fault", "" if found.programs else "no word")


def _errors(found: report.Report) -> Iterator[report.Failure]:
    every = (found.error, *(p.error for p in found.programs))
    return (x for x in every if x is not None)


def _off(program: report.Program) -> Iterator[report.Numerics]:
    core = program.numerics.get("core")
    if core is not None and not core.ok:
        yield core


def _bad(found: report.Report) -> Iterator[str]:
    """What nobody should have to read."""
    for error in _errors(found):
        if error.remedy == REPORT_IT:
            yield f"a fault of ours at {error.stage}: {error.message}"
    for text in _sentences(found):
        inside = _INTERNAL.search(text)
        if inside:
            yield f"{inside[0]!r} in: {text}"
        if len(text) > _LONGEST:
            yield f"long: {text}"
        if not text.strip():
            yield "an empty sentence"


def _sentences(found: report.Report) -> Iterator[str]:
    for error in _errors(found):
        yield error.message
        yield error.remedy or "-"
    yield from (x.text for x in found.notices)
    for program in found.programs:
        yield from (x.reason for x in program.graph_breaks)
        yield from (x.remedy or "-" for x in program.graph_breaks)
