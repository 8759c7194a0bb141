"""The stage that shows where the time of one call goes, for each compiler that runs the program.

Each is recorded by the recorder that sees most of it: eager torch and TorchInductor by
torch.profiler, JAX and XLA by XLA's profiler, the core by stamps that its launches write, in a
program that is compiled again for this purpose. So recording affects none of the timings.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from msgspec import structs

from compiler_core import report
from compiler_core.errors import sentence_of
from compiler_core.measure.instructions import Instructions
from compiler_core.measure.recorded import (
    Call,
    Prepared,
    Recorded,
    Recorder,
    Span,
    record,
)
from compiler_core.measure.runnable import Runnable, core
from compiler_core.measure.sampling import undisturbed
from compiler_core.measure.torch_profile import ABOUT as BY_TORCH
from compiler_core.measure.torch_profile import profile
from compiler_core.pipeline import stamped
from compiler_core.pipeline.context import Compilation
from compiler_core.reference import lanes
from compiler_core.reference.subject import Subject
from compiler_core.snippet.raised import is_interrupt

NAME = "timeline"
_ROLES: dict[str, str] = {compiler.id: compiler.role for compiler in report.COMPILERS}
# The most events of a lane that are kept, the longest.
_MOST_EVENTS = 4000
# The shortest operation around the core's graphs that is shown: a shorter one only queries a
# tensor.
_LEAST_US = 0.5
_BY_STAMPS = "each launch writes down when it begins and ends; between them: the runtime"
_UNSEEN = "nothing records what runs within it"
_GAPS = "between operations: Python and dispatch"


def wants_timeline(c: Compilation) -> bool:
    """Whether a timeline was requested, and the program runs."""
    return c.options.timeline and "eager" in c.runnables


def record_timelines(c: Compilation) -> None:
    """A lane for each compiler that ran the program. One that cannot be recorded shows the reason,
    which is no failure of the program."""
    c.emit_began(NAME, "waiting for the device")
    with c.lease(c.device) as rest, c.stage(NAME, NAME) as draft, undisturbed():
        summaries = []
        for name, runnable in c.runnables.items():
            rest()
            c.emit_began(NAME, f"a call by {report.name_beside(name, c.program.framework)}")
            summaries.append(_emit_lane(c, name, runnable))
        draft.summary = ", ".join(summaries)


def _emit_lane(c: Compilation, name: str, runnable: Runnable) -> str:
    """Emits a compiler's lane; returns a clause for the stage's summary."""
    title = report.name_beside(name, c.program.framework)
    try:
        lane = _LANES[_ROLES[name]](c, runnable, name)
    except BaseException as error:
        if is_interrupt(error):
            raise
        return f"{title} not recorded: {sentence_of(error)}"
    finally:
        if c.captured is not None and c.captured.session is not None:
            c.captured.session.restore()
    events = [_with_line(event, c.line_of) for event in lane.events]
    lane = structs.replace(lane, compiler=name, events=events)
    c.emit_facts(timelines=[lane], compiler=name)
    return f"{title} {lane.total_us:.0f} us ({lane.total_us / lane.plain_us:.2f} x unprofiled)"


def _with_line(event: lanes.Event, line_of: Mapping[int, int | None]) -> lanes.Event:
    """The line of its first operation, where it has no place of its own."""
    if event.line is not None or not event.nodes:
        return event
    return structs.replace(event, line=line_of.get(event.nodes[0]))


def _lane(recorded: Recorded, events: Sequence[lanes.Event], about: str) -> report.Timeline:
    """A lane with the longest events, in their order."""
    kept = sorted(events, key=lambda e: -e.duration_us)[:_MOST_EVENTS]
    return report.Timeline(
        "", recorded.call.total_us, recorded.plain_us, recorded.calls,
        sorted(kept, key=lambda e: e.start_us), about, len(events) - len(kept),
    )  # fmt: skip


def _prepared(c: Compilation, runnable: Runnable) -> Prepared:
    """One call after the other, each on inputs prepared before it is timed."""
    assert c.captured is not None
    arguments = c.captured.arguments

    def prepared() -> Callable[[], Any]:
        given = runnable.prepare(arguments)
        return lambda: runnable.finished(given)

    return prepared


# -- eager


def _eager(c: Compilation, runnable: Runnable, name: str) -> report.Timeline:
    if c.program.framework == "torch":
        return _eager_by(c, runnable, profile, lanes.operations, f"{BY_TORCH}; {_GAPS}")
    from compiler_core.reference.xla.profile import ABOUT
    from compiler_core.reference.xla.profile import profile as by_xla

    about = f"{ABOUT}: each primitive is a program of its own; {_GAPS}"
    return _eager_by(c, runnable, by_xla, lanes.dispatched, about)


def _eager_by(
    c: Compilation,
    runnable: Runnable,
    recorder: Recorder,
    shown: Callable[[Call], list[Span]],
    about: str,
) -> report.Timeline:
    prepared, followed = _prepared(c, runnable), Instructions()
    recorded = record(prepared, recorder)
    call = prepared()
    with followed.traced():
        (traced,) = recorder([call])
    eager = lanes.Eager(shown, _subject(c).lines(backward=False), traced, followed)
    return _lane(recorded, eager.events(recorded.call), about)


# -- the core


def _core(c: Compilation, runnable: Runnable, name: str) -> report.Timeline:
    assert c.captured is not None
    parts = stamped.parts(c)
    if c.captured.session is not None:
        return _core_of_several(c, runnable, parts)
    (part,) = parts
    prepared = _prepared(c, core(part.run, device=c.memory))
    recorded = record(prepared, stamped.recorder(parts, _plainly), _prepared(c, runnable))
    return _lane(recorded, stamped.events(recorded.call, parts), _BY_STAMPS)


def _plainly(calls: Sequence[Callable[[], Any]]) -> list[Call]:
    """Records nothing but how long each call takes."""
    return [_timed(call) for call in calls]


def _timed(call: Callable[[], Any]) -> Call:
    began = time.perf_counter_ns()
    call()
    return Call((time.perf_counter_ns() - began) / 1e3, began)


def _core_of_several(
    c: Compilation, runnable: Runnable, parts: Sequence[stamped.Part]
) -> report.Timeline:
    """Also with what torch does between the graphs."""
    prepared = _prepared(c, runnable)
    recorder = stamped.recorder(parts, profile)
    recorded = record(prepared, _linked(c, parts, recorder), prepared)
    call = recorded.call
    graphs = stamped.runs(call, parts)
    known = [*lanes.guards(call), *_outside(c, call, graphs)]
    events = [*known, *stamped.events(call, parts), *lanes.python_between(graphs, known)]
    return _lane(recorded, events, f"{_BY_STAMPS}; around its graphs {BY_TORCH}")


def _linked(c: Compilation, parts: Sequence[stamped.Part], recorder: Recorder) -> Recorder:
    """Records with the stamped graphs in place of the compiled ones."""

    def linked(calls: Sequence[Callable[[], Any]]) -> list[Call]:
        before = [part.executable for part in c.parts]
        for part, own in zip(c.parts, parts, strict=True):
            part.executable = own.run
        try:
            return recorder(calls)
        finally:
            for part, executable in zip(c.parts, before, strict=True):
                part.executable = executable

    return linked


def _outside(c: Compilation, call: Call, graphs: Sequence[Span]) -> list[lanes.Event]:
    """The operations that torch runs outside of the graphs."""
    found = (
        s
        for s in lanes.operations(call)
        if s.duration_us >= _LEAST_US and not lanes.within(s, graphs)
    )
    return [lanes.event(span, "library", lanes.short(span.name)) for span in found]


# -- other compilers


def _reference(c: Compilation, runnable: Runnable, name: str) -> report.Timeline:
    """As the compiler's own package records a call; one that has nothing to do it is only timed."""
    package = report.package_of(c.references[name].compiler)
    prepared, module = _prepared(c, runnable), f"compiler_core.reference.{package}.timeline"
    if find_spec(module) is None:
        return _lane(record(prepared, _plainly), [], _UNSEEN)
    recorded = import_module(module).recorded
    return _lane(*recorded(_subject(c), c.references[name], prepared))


def _subject(c: Compilation) -> Subject:
    assert c.captured is not None
    return Subject(c.program, c.captured, c.options)


# By the compiler's role.
_LANES: dict[str, Callable[[Compilation, Runnable, str], report.Timeline]] = {
    "baseline": _eager,
    "own": _core,
    "reference": _reference,
}
