"""The pipeline's last stages: each compiler's version is run, checked and timed."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from msgspec import structs

from compiler_core import reference, report
from compiler_core.backends.backend import Executable
from compiler_core.capture.captured import Captured, CapturedGraph
from compiler_core.errors import REPORT_IT
from compiler_core.ir.library import draws_from_generator
from compiler_core.measure import numerics, run
from compiler_core.measure.runnable import Costs, Runnable, core, eager, linked, traced
from compiler_core.measure.timings import measurement, taken
from compiler_core.pipeline import figures
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.one_graph import compile_graph
from compiler_core.pipeline.other_sizes import check_other_sizes
from compiler_core.pipeline.outputs import emit_outputs
from compiler_core.pipeline.special_values import check_specials
from compiler_core.pipeline.tf32 import in_tf32
from compiler_core.pipeline.time_left import Turns
from compiler_core.pipeline.verdict_text import (
    ALONE,
    by_chance,
    of_eager_alone,
    wrong_core,
    wrong_ones,
)
from compiler_core.reference.result import phases
from compiler_core.snippet.raised import raised_by_program
from compiler_core.wording import counted

# Kinds of stages whose time is the core's compile time from the graph.
_COMPILING = ("pass", "fuse", "schedule", "codegen")


def is_several(c: Compilation) -> bool:
    """Whether the program has several graphs."""
    return c.captured is not None and c.captured.session is not None


def link(c: Compilation) -> None:
    """Puts the compiled graphs in place of the framework's, in a program of several graphs."""
    assert c.captured is not None and c.captured.session is not None
    executables = [_now(p) for p in c.parts if p.executable is not None]
    missing = len(c.parts) - len(executables)
    with c.stage("link", "codegen") as draft:
        if missing:
            draft.status = "skipped"
            draft.summary = f"{counted(missing, 'graph')} could not be compiled"
            return
        c.captured.session.link(
            executables, lambda graph: _compile_late(c, graph), lambda *reason: _left(c, *reason)
        )
        c.executable = c.captured.session.compiled
        draft.summary = f"{counted(len(executables), 'graph')}, with Python in between"


def _now(part: Compilation) -> Executable:
    """What runs the graph at the time of the call: it may be watched for a while."""

    def run(inputs: Sequence[Any]) -> list[torch.Tensor]:
        assert part.executable is not None
        return part.executable(inputs)

    return run


def _left(c: Compilation, text: str, line: int) -> None:
    """Something is compiled no more, which also the times are of."""
    c.left_to_python.append(line)
    c.emit(report.Noticed(report.Notice("warning", text, line)))


def _compile_late(c: Compilation, graph: CapturedGraph) -> Any:
    text = "a later call takes another way than the first: one more graph is compiled"
    c.emit(report.Noticed(report.Notice("info", text, graph.line)))
    return compile_graph(graph, c.device)


def prepare_references(c: Compilation) -> None:
    """Compiles the program by the reference compilers that were requested. One that cannot compile
    it is skipped with the reason, which is no failure of the program."""
    assert c.captured is not None
    turns = Turns(c.share(math.inf), costs_of(c).total_ms / 1e3)
    for name in requested(c):
        if name == "core":
            continue
        c.emit_began(name, f"{name} compiles the same program")
        with c.stage(name, "reference") as draft, turns.one():
            draft.compiler = name
            if turns.left_out:
                draft.status, draft.summary = "skipped", turns.left_out
                continue
            found = reference.prepare(name, c.captured, c.program.framework)
            draft.artifacts, draft.tables = list(found.artifacts), list(found.tables)
            draft.summary, draft.status = found.summary, found.status
            if found.runnable is not None:
                c.runnables[name] = found.runnable
                c.references[name] = found
                own = found.figures or report.CompilerSummary(name)
                own = structs.replace(own, compiler=name, phases=phases(found.runnable.costs))
                c.add_figures(own)


def wants_references(c: Compilation) -> bool:
    """Whether a compiler other than the core was requested."""
    return any(name != "core" for name in requested(c))


def requested(c: Compilation) -> Sequence[report.CompilerChoice]:
    """The compilers that the program is given to."""
    return c.options.compilers_for(c.program.framework)


def check_numerics(c: Compilation) -> None:
    """Compares one call of each compiler's version with the program in float64. If the core's
    result is wrong where eager's is right, the program fails."""
    assert c.captured is not None
    figures.emit_figures(c)
    checked: Mapping[str, report.Numerics] = {}
    with c.stage("numerics", "numerics") as draft:
        framework = eager(c.captured, c.program.framework, c.memory)
        with _blamed_on_program(c, framework):
            checked, draft.summary = _checked(c, framework)
        error = wrong_core(checked)
        draft.status = "failed" if error else "ok"
    c.numerics = checked
    c.emit_facts(numerics=checked)
    if c.options.seed is not None and c.captured.graphs and not is_random(c.captured):
        emit_outputs(c)
    if error:
        text = f"the compiled program gives another result than the framework: {error}"
        c.fail(report.Failure("numerics", text, c.program.line, REPORT_IT))


def _checked(c: Compilation, framework: Runnable) -> tuple[Mapping[str, report.Numerics], str]:
    """The errors of each compiler, and what is said of them; `framework` runs the program."""
    assert c.captured is not None
    own = {"eager": framework}
    if c.executable is not None and "core" in requested(c):
        own["core"] = _first_call(c, own_version(c))
    c.runnables = own | c.runnables
    if is_random(c.captured):
        checked, passed = run.check_seeded(own, c.captured, c.captured.arguments), run.ONE_SEED
        others = of_eager_alone(checked)
    else:
        checked = run.check(c.runnables, c.captured, c.captured.arguments)
        passed = by_chance(checked) or "all within tolerance"
        others = check_other_sizes(c, own, checked) + check_specials(c, own, checked)
        others += _of_tracer(c, framework, checked) + of_eager_alone(checked)
    why_eager = in_tf32(c.captured, c.program.framework, c.device)
    return checked, (wrong_ones(checked, why_eager) or passed) + others


@contextmanager
def _blamed_on_program(c: Compilation, framework: Runnable) -> Iterator[None]:
    """Where what is run inside fails, the framework is asked whether it can run the program at
    all: where it cannot, there is nothing to check or to time. A program of several graphs has run
    once, where it was captured."""
    assert c.captured is not None
    try:
        yield
    except Exception as error:
        try:
            framework.run(c.captured.arguments)
        except Exception as alone:
            c.runnables = {}
            ran = is_several(c)
            raise raised_by_program(alone, c.program.framework, again=ran) from error
        raise


def _of_tracer(c: Compilation, framework: Runnable, checked: dict[str, report.Numerics]) -> str:
    """Where a compiler is wrong as TorchDynamo alone is, with torch running its graphs, that is
    said in `checked` and in the sentence returned."""
    session = None if c.captured is None else c.captured.session
    wrong = [name for name, n in checked.items() if not n.ok]
    if c.captured is None or session is None or not wrong:
        return ""
    both = {"eager": framework, "tracer": traced(session, c.memory)}
    alone = run.check(both, c.captured, c.captured.arguments)["tracer"]
    same = [name for name in wrong if not alone.ok and checked[name].error == alone.error]
    for name in same:
        error = f"{alone.error}: TorchDynamo's doing, not {name}'s; it {ALONE}"
        checked[name] = structs.replace(checked[name], error=error)
    return f": TorchDynamo's doing, which {ALONE}" if same else ""


def own_version(c: Compilation) -> Runnable:
    """The core's version of a program that it has compiled."""
    assert c.captured is not None
    if c.captured.session is not None:
        return linked(c.captured.session, costs_of(c), c.memory)
    assert c.executable is not None
    return core(c.executable, costs_of(c), c.memory)


def is_random(captured: Captured) -> bool:
    """Whether a library call, or what Python calls between graphs, takes from a generator that the
    graphs do not see."""
    operations = (o for each in captured.graphs for o in each.graph.walk())
    return captured.outside.draws or any(draws_from_generator(o) for o in operations)


def costs_of(c: Compilation) -> Costs:
    """The core's capture and compile time so far, in milliseconds."""
    compiling = sum(c.ms.get(kind, 0.0) for kind in _COMPILING)
    return Costs(capture_ms=c.ms.get("capture"), compile_ms=compiling)


def _first_call(c: Compilation, runnable: Runnable) -> Runnable:
    """`runnable` with the time until its first result: capture, compile and one run."""
    assert c.captured is not None
    inputs = runnable.prepare(c.captured.arguments)
    start = time.perf_counter()
    runnable.finished(inputs)
    ran = (time.perf_counter() - start) * 1e3
    costs = runnable.costs
    return replace(runnable, costs=replace(costs, first_call_ms=costs.total_ms + ran))


def measure(c: Compilation) -> None:
    """Times all versions that ran, interleaved, under the lease of the device."""
    assert c.captured is not None
    c.emit_began("measure", "waiting for the device")
    with c.lease(c.device) as rest, c.stage("measure", "measure") as draft:
        measured = run.measure(
            c.runnables,
            c.captured,
            random=is_random(c.captured),
            progress=lambda fraction: c.emit_began("measure", fraction=fraction),
            rest=rest,
        )
        checked = numerics.as_before(c.numerics, measured.numerics or {}) or c.numerics
        apart = _apart(c, checked)
        notes = filter(None, [*measured.notes, _of_left(c)])
        found = measurement(measured.sampled, [*notes], _baseline(c), apart)
        c.protocol, draft.summary = report.protocol(found), taken(found)
    timings = _marked(measured.timings, apart)
    c.median_us = {name: timing.median_us for name, timing in timings.items()}
    c.emit_facts(timings=timings, numerics=checked, measurement=found)


# The verdict on what has compiled nothing.
NOTHING = "not compiled"


def _marked(
    timings: Mapping[str, report.Timing], verdicts: Mapping[str, str]
) -> Mapping[str, report.Timing]:
    """What is not compiled has no ratio: it would be that of running Python's lines apart."""
    none = {"speedup": None, "speedup_low": None, "speedup_high": None, "pays_after_calls": None}
    found = {}
    for name, timing in timings.items():
        said = verdicts.get(name, timing.verdict)
        ratio = none if said == NOTHING else {}
        found[name] = structs.replace(timing, verdict=said, **ratio)
    return found


def _apart(c: Compilation, checked: Mapping[str, report.Numerics]) -> dict[str, str]:
    """A compiler whose result is wrong, or that has compiled nothing, is neither faster nor
    slower."""
    nothing = {} if c.captured is None or c.captured.graphs else {"core": NOTHING}
    wrong = {name: "wrong result" for name, n in checked.items() if not n.ok and name != "eager"}
    return nothing | wrong


def _baseline(c: Compilation) -> str:
    """What eager is, and what its times contain beside running."""
    assert c.captured is not None
    operations = (o for each in c.captured.graphs for o in each.graph.walk())
    loops = any(o.regions for o in operations)
    own = report.BASELINES[c.program.framework]
    return own[-1 if loops else 0]


def _of_left(c: Compilation) -> str:
    """What of the core's times is not of compiled code."""
    lines = " and ".join(f"line {line}" for line in sorted(set(c.left_to_python)))
    return f"the core's times are in part Python's: {lines}, compiled no more" if lines else ""


def wants_measuring(c: Compilation) -> bool:
    """Whether times were requested, and there is an eager version to compare them with."""
    return c.options.measure and "eager" in c.runnables
