"""The stages of other compilers on the same program: what each did with it, step by step, and
why."""

import math
import time
from collections.abc import Iterator, Mapping
from importlib import import_module

from msgspec import structs

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.errors import FuselabError
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.time_left import Turns
from compiler_core.reference.refusal import refusal
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.raised import is_interrupt
from compiler_core.snippet.remedies import words_of
from compiler_core.wording import counted

# The stage that ends a look: its time is that of the whole look.
NAME = "insides"
# The insides that break graphs and recompile.
_TELLS: Mapping[report.Framework, tuple[report.Inside, ...]] = {
    "torch": ("dynamo",),
    "jax": ("jax",),
}
_NO_GRAPH = "{} is given the graph that the core captures, and there is none: {}"
_NO_TRACE = "{} is given what JAX traces of the program, and there is none: {}"
_JAX_ITSELF = "{} has nothing to show where it cannot trace the program: {}"
_NOT_OF_JAX = "{} is shown programs of PyTorch, and this one is JAX's"


def wants_insides(c: Compilation) -> bool:
    """Whether a look into another compiler was requested."""
    return bool(_requested(c))


def _requested(c: Compilation) -> set[report.Inside]:
    """What was asked for; where remedies are tried, also who says what there is a remedy of; and
    the framework that a program came by, which has shown what it made already."""
    tells = _TELLS[c.program.framework] if c.options.trials else ()
    came_by = (c.program.front.id,) if c.program.front is not None else ()
    return {*c.options.insides, *tells, *came_by}


def look_inside(c: Compilation) -> None:
    """Shows the stages of each compiler that was requested, as they are found. If one fails, its
    own stage fails and the program does not. A program that could not be captured is shown to those
    that follow its call by themselves, and the others say why not."""
    turns = Turns(c.share(math.inf), c.ms.get("capture", 0.0) / 1e3)
    for info in report.INSIDES:
        if info.id in _requested(c):
            c.emit_began(NAME, f"looking into {info.title}")
            with turns.one():
                _look(c, info, turns)


def _found(c: Compilation, info: report.InsideInfo) -> Look:
    """What the look into a compiler yields, or why there is none, in one sentence."""
    no_graph = _without_graph(c, info)
    if no_graph:
        return no_graph
    subject = Subject(c.program, c.captured or _uncaptured(c.program), c.options)
    found: Look = import_module(f"compiler_core.reference.{info.id}.look").look(subject)
    return found


def _without_graph(c: Compilation, info: report.InsideInfo) -> str:
    """Why a program that was not captured cannot be shown to a compiler; blank if it can."""
    if c.captured is not None:
        return ""
    why = "" if c.failure is None else c.failure.message
    if c.program.framework == "jax":
        said = _JAX_ITSELF if info.id == "jax" else _NO_TRACE
        return (said if "jax" in info.frameworks else _NOT_OF_JAX).format(info.title, why)
    return _NO_GRAPH.format(info.title, why) if info.of_graph else ""


def _uncaptured(program: FoundProgram) -> Captured:
    from compiler_core.capture.torch.uncaptured import uncaptured

    return uncaptured(program)


def _look(c: Compilation, info: report.InsideInfo, turns: Turns) -> None:
    start, seen = time.perf_counter(), _Seen(c, info.id)
    status: report.StageStatus = "ok"
    try:
        found = turns.left_out or _found(c, info)
        if isinstance(found, str):
            status, summary = "skipped", found
        else:
            summary = seen.all_of(found, turns)
    except BaseException as error:
        if is_interrupt(error):
            raise
        status, summary = "failed", seen.refused(error, info.title)
    seen.emit_facts()
    ms = (time.perf_counter() - start) * 1e3
    c.emit_stage(report.Stage(NAME, status, ms, kind=NAME, summary=summary, compiler=info.id))


def _said(error: BaseException) -> str:
    """An error in one sentence; of the compiler's own, without the type that it has here."""
    return error.sentence if isinstance(error, FuselabError) else words_of(error)


class _Seen:
    """What was found in one compiler so far."""

    def __init__(self, c: Compilation, compiler: report.Inside) -> None:
        self._c, self._compiler = c, compiler
        self._findings: list[report.Finding] = []
        self._decisions: list[report.FusionDecision] = []
        self._groups: list[report.FusionGroup] = []
        self._buffers: list[report.Buffer] = []

    def all_of(self, items: Iterator[Item], turns: Turns) -> str:
        """Emits stages as they come and keeps the other items, until the time is over; returns how
        many stages there were, in words."""
        stages = 0
        for item in items:
            match item:
                case report.Stage():
                    stages += 1
                    own = structs.replace(item, compiler=self._compiler, kind=NAME)
                    self._c.emit_stage_as_is(own)
                case report.Finding():
                    self._findings.append(item)
                case report.CompilerSummary():
                    self._c.add_figures(item)
                case report.FusionDecision():
                    self._decisions.append(item)
                case report.FusionGroup():
                    self._groups.append(item)
                case report.Buffer():
                    self._buffers.append(structs.replace(item, compiler=self._compiler))
            if turns.is_over:
                return f"{counted(stages, 'stage')}; the others {turns.said}"
        return counted(stages, "stage")

    def refused(self, error: BaseException, title: str) -> str:
        """Why the compiler failed; if the reason is known in plain words, also adds an entry to its
        why-list."""
        known = refusal(self._compiler, str(error))
        if known is None:
            return f"{title} failed: {_said(error)}"
        what = f"{title} cannot take the program"
        entry = report.Finding(
            "not compiled", self._compiler, what, known.why, known.remedy, raw=str(error)
        )
        self._findings.append(entry)
        return known.why

    def emit_facts(self) -> None:
        """Emits the fields of the report that were collected."""
        self._c.add_findings(self._compiler, self._findings)
        if self._decisions or self._groups or self._buffers:
            self._c.emit_facts(
                fusion_decisions=self._decisions,
                fusion_groups=self._groups,
                buffers=self._buffers,
                compiler=self._compiler,
            )
