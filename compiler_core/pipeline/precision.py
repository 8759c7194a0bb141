"""The stage that attributes errors to kernels.

The graph's plan is built again with every intermediate result kept, and run on the inputs of the
program's first call; a graph between others is run on the inputs that it had in that call.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from msgspec import structs

from compiler_core.backends.backend import Executable
from compiler_core.interop import arrays
from compiler_core.ir.library import draws_from_generator
from compiler_core.measure.precision import Located, locate
from compiler_core.pipeline.context import Compilation, Draft
from compiler_core.pipeline.time_left import Share
from compiler_core.plan.kept import keeping
from compiler_core.plan.written import Written, written
from compiler_core.wording import counted

# The limits for one program: seconds, and elements of all values that are checked.
SECONDS = 10.0
_MOST_ELEMENTS = 1 << 26
_RANDOM = "it draws random numbers, which would be others in float64"
_LARGE = "its intermediate results have {} million elements, more than {} million are not kept"
_LATE = "its code would have to be compiled once more, which took {:.0f} s"
_NEVER_RAN = "the program's first call does not run it"


def wants_precision(c: Compilation) -> bool:
    """Whether the core's version has run and been checked."""
    return "core" in c.numerics


def locate_errors(c: Compilation) -> None:
    """The errors of every value that a launch leaves in memory, graph by graph."""
    time = c.share(SECONDS)
    late = _late(c, time)
    for part, inputs in zip(c.parts, [None] * len(c.parts) if late else _inputs(c), strict=True):
        with part.stage("precision", "numerics", part.running) as draft:
            refused = late or _refusal(part, inputs)
            if refused:
                draft.status, draft.summary = "skipped", refused
                continue
            assert inputs is not None
            _locate(part, inputs, time, draft)


def _late(c: Compilation, time: Share) -> str:
    """Why there is no time for any graph; "" if there is."""
    seconds = c.ms.get("codegen", 0.0) / 1e3
    if seconds <= time.seconds:
        return ""
    return _LATE.format(seconds) + ("" if time.is_all else f", and {time.why}")


def _refusal(c: Compilation, inputs: Sequence[Any] | None) -> str:
    """Why a graph's errors are not looked for; "" if they are."""
    assert c.graph is not None
    if inputs is None:
        return _NEVER_RAN
    if any(draws_from_generator(o) for o in c.graph.walk()):
        return _RANDOM
    elements = sum(place.value.type.at_hint().numel for place in _places(c))
    if elements > _MOST_ELEMENTS:
        return _LARGE.format(elements >> 20, _MOST_ELEMENTS >> 20)
    return ""


def _places(c: Compilation) -> list[Written]:
    plan, fused = c.running.plan, c.running.fused
    assert plan is not None and fused is not None
    return written(plan, fused.values.graph, fused.names)


def _locate(c: Compilation, inputs: Sequence[Any], time: Share, draft: Draft) -> None:
    fused, source, places = c.running.fused, c.source, _places(c)
    assert fused is not None and source is not None
    tensors = arrays.to_torch_all(inputs)
    with torch.no_grad():
        found = _kept(c, places, tensors)
        located = locate(
            fused.values.graph, places, tensors, found, source.watch, inputs, time.clock
        )
    draft.summary = _summary(located, len(places), time)
    backend = c.running.backend.name
    errors = [structs.replace(e, graph=c.id, backend=backend) for e in located.errors]
    c.emit_facts(kernel_errors=errors, backend=backend)


def _kept(
    c: Compilation, places: Sequence[Written], inputs: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """What the core has for each of `places`."""
    plan, backend = c.running.plan, c.running.backend
    assert plan is not None and c.executable is not None
    whole = keeping(plan, [p.buffer for p in places])
    run = c.executable if whole is plan else backend.build(backend.emit(whole))
    own = [x.clone() for x in inputs] if whole.over else inputs
    by_name = dict(zip(whole.outputs, run(own), strict=True))
    return [by_name[p.buffer].clone() for p in places]


def _summary(located: Located, count: int, time: Share) -> str:
    parts = [counted(len(located.errors), "value")]
    if located.left:
        parts.append(f"{located.left} of {count} left out: {time.why}")
    if located.no_eager:
        parts.append(f"eager has none of them: {located.no_eager}")
    if located.by_operations:
        loops = counted(len(located.by_operations), "loop")
        parts.append(f"{loops} computed in torch, as XLA refuses: {located.by_operations[0]}")
    return "; ".join(parts)


# -- inputs


def _inputs(c: Compilation) -> list[Sequence[Any] | None]:
    """What each graph was called with; None for one that was not called."""
    assert c.captured is not None
    if c.captured.session is None:
        return [c.captured.arguments]
    session, seen = c.captured.session, dict[int, list[torch.Tensor]]()
    with torch.random.fork_rng(), _recorded(c, seen):
        try:
            session.compiled(session.prepare(c.captured.arguments))
        finally:
            session.restore()
    return [seen.get(number) for number in range(len(c.parts))]


@contextmanager
def _recorded(c: Compilation, seen: dict[int, list[torch.Tensor]]) -> Iterator[None]:
    """Inside, each part's first inputs are kept, by its number."""
    before = [part.executable for part in c.parts]
    for number, part in enumerate(c.parts):
        part.executable = _recording(before[number], number, seen)
    try:
        yield
    finally:
        for part, executable in zip(c.parts, before, strict=True):
            part.executable = executable


def _recording(
    executable: Executable | None, number: int, seen: dict[int, list[torch.Tensor]]
) -> Executable | None:
    if executable is None:
        return None

    def run(inputs: Sequence[Any]) -> list[torch.Tensor]:
        if number not in seen:
            seen[number] = [x.clone() for x in inputs]
        return executable(inputs)

    return run
