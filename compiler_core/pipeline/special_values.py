"""Checking a compiled program with NaN, infinities and zeros of both signs among its arguments."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import torch
from msgspec import structs

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.attention_ways import WAYS, Instead
from compiler_core.capture.torch.dynamo.backward import OfEveryResult
from compiler_core.capture.torch.norm_ways import Centred
from compiler_core.capture.torch.one_by_one import OneByOne
from compiler_core.errors import sentence_of
from compiler_core.ir.graph import Operation
from compiler_core.ir.ops import OPS
from compiler_core.measure import run
from compiler_core.measure.rounding import changed, uncompiled
from compiler_core.measure.runnable import Runnable, Tensors
from compiler_core.measure.sort_places import ORDERING
from compiler_core.pipeline.context import Compilation

_SEED = 7
_NUMBERS = (0.375, -0.625)
TIES = "which of several NaN a sort puts first is not defined, and the program uses their places"
ENDLESS = "a loop runs until a value says so, which a NaN may never say"
PIVOTS = "which pivots a factorization takes among them LAPACK does not say"
_UNDECIDED = "there, eager's own result is not that of float64"


def check_specials(
    c: Compilation, own: dict[str, Runnable], checked: dict[str, report.Numerics]
) -> str:
    """Compares the compiled program with the framework on arguments that contain NaN, infinities
    and zeros of both signs. A wrong result replaces the verdict in `checked`; returns how the
    stage's summary ends."""
    assert c.captured is not None
    if "core" not in own or not checked["core"].ok or not c.captured.arguments:
        return ""
    if _may_not_end(c.captured):
        return f", not with NaN and infinities: {ENDLESS}"
    if _uses_places(c.captured):
        return f", not with NaN and infinities: {TIES}"
    inputs = c.captured.special(_SEED)
    try:
        own["eager"].run(inputs)
    except Exception as error:
        return f", not with NaN and infinities: {sentence_of(error)}"
    both = run.check(own, c.captured, inputs, only="core")
    found = both["core"]
    also = [] if found.ok else _as_well(c, own["eager"], inputs)
    if also:
        found = run.check(own, c.captured, inputs, also, only="core")["core"]
    if not found.ok and not both["eager"].ok:
        return f", not with NaN and infinities: {_UNDECIDED}"
    if not found.ok and c.captured.factorizations:
        return f", not with NaN and infinities: {PIVOTS}"
    if not found.ok:
        text = f"with NaN, infinities and zeros among the inputs: {found.error}"
        checked["core"] = structs.replace(checked["core"], ok=False, error=text)
    return ", also with NaN and infinities"


def _as_well(c: Compilation, eager: Runnable, inputs: Tensors) -> list[list[torch.Tensor]]:
    """What else is right, element by element: the program's outputs with torch's attention, norms
    and bounded functions computed in each of the ways that they may be, with a backward pass that
    begins at every result, and without what no generated attention reads."""
    found = _unread(eager, inputs) if _skips_keys(c) else []
    ways: list[Instead | Centred | OneByOne | OfEveryResult] = [
        Centred(), OneByOne(), OfEveryResult(), *map(Instead, WAYS)
    ]  # fmt: skip
    for way in ways if c.program.framework == "torch" else ():
        # A way that the program does not run in makes nothing right.
        with suppress(Exception), torch.no_grad(), uncompiled(), way as instead:
            outputs = eager.run(inputs)
            found += [outputs] if instead.called else []
    return [*found, *_with_gradients_of_all(c, inputs)]


def _with_gradients_of_all(c: Compilation, inputs: Tensors) -> list[list[torch.Tensor]]:
    """Where the program itself runs a backward pass, its outputs with the graphs of AOTAutograd,
    which takes a gradient of every result of a graph, run by torch."""
    session = None if c.captured is None else c.captured.session
    if session is None or not any(
        part.source.role == "backward" for part in c.parts if part.source
    ):
        return []
    with suppress(Exception):  # as above
        result = session.by_gradient_tracer(session.prepare(inputs))
        return [[x.clone() for x in session.outputs(result)]]
    return []


def _skips_keys(c: Compilation) -> bool:
    """Whether a launch goes over no keys that its mask hides."""
    plans = [part.running.plan for part in c.parts]
    steps = [x.step for plan in plans if plan is not None for x in plan.walk()]
    return any(step.skips_masked for step in steps)


def _unread(eager: Runnable, inputs: Tensors) -> list[list[torch.Tensor]]:
    """Eager's outputs; where an element is the same whatever numbers stand in the places of NaN and
    infinities, that: its weight of them is 0. So for the places in all inputs, and in each alone:
    an element may read those in keys, and not those in values."""
    every = range(len(inputs))
    with torch.no_grad():
        own = [x.clone() for x in eager.run(inputs)]
        return [_without(eager, inputs, own, places) for places in (every, *([i] for i in every))]


def _without(
    eager: Runnable, inputs: Tensors, own: list[torch.Tensor], places: Sequence[int]
) -> list[torch.Tensor]:
    one, other = (
        [x.clone() for x in eager.run([
            changed(x, partial(_filled, number=n)) if i in places else x
            for i, x in enumerate(inputs)
        ])]
        for n in _NUMBERS
    )  # fmt: skip
    return [torch.where(a == b, a, o) for o, a, b in zip(own, one, other, strict=True)]


def _filled(x: torch.Tensor, number: float) -> torch.Tensor:
    return torch.where(x.isfinite(), x, number)


def _may_not_end(captured: Captured) -> bool:
    """Whether a value says how often a loop runs."""
    loops = (o for each in captured.graphs for o in each.graph.walk() if _is_loop(o))
    return any("length" not in OPS[o.op].attrs for o in loops)


def _is_loop(operation: Operation) -> bool:
    return OPS[operation.op].regions == "loop"


def _uses_places(captured: Captured) -> bool:
    """Whether an operation takes what a sort moved along with its keys, as their places."""
    operations = [o for each in captured.graphs for o in each.graph.operations]
    moved = {v for o in operations if o.op in ORDERING for v in o.results[1:]}
    return any(value in moved for o in operations for value in o.operands)
