"""Measures a program: run times and numerical errors of each compiler's version."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.drawing import Drawn
from compiler_core.capture.torch.first_of_equal import FirstOfEqual
from compiler_core.errors import MeasureError, NoReference
from compiler_core.interop import arrays
from compiler_core.ir import eval_torch
from compiler_core.ir.graph import Graph
from compiler_core.ir.library import generators_of
from compiler_core.measure import chaos, intermediate_rounding, numerics, rounding
from compiler_core.measure.allocator import reuse_memory
from compiler_core.measure.floor import floor, roof
from compiler_core.measure.input_sets import input_sets
from compiler_core.measure.rest import Rest, no_rest
from compiler_core.measure.runnable import Runnable, Tensors, device_of, given_anew
from compiler_core.measure.sampling import Progress, Samples, sample
from compiler_core.measure.sort_places import ORDERING, Places, Taken, places_of
from compiler_core.measure.threads import one_thread
from compiler_core.measure.timings import Sampled, timings

# Seconds of samples of one program, of all its compilers together.
BUDGET_S = 1.0
_FIRST_SEED = 1000
ONE_SEED = "all within tolerance, with the random numbers of one seed"
# What is said of the outputs of timed calls.
_CHECKED = "outputs of timed calls checked against float64"
_DRAWN = "each timed call draws other random numbers: those of one seed were checked before"
_GOES_ON = (
    "each timed call is given its inputs anew, and goes on from the parameters and whatever else "
    "the program keeps as the one before has left them"
)
_OVERFLOWED = ", of which some overflow on the way: what comes after is the time of infinities"


@dataclass(frozen=True)
class Measured:
    """`numerics` are the errors of outputs that timed calls returned; None if they cannot be
    compared. `notes` are things to know of how it was measured."""

    sampled: Sampled
    numerics: dict[str, report.Numerics] | None
    notes: list[str]

    @property
    def timings(self) -> dict[str, report.Timing]:
        """The statistics of each compiler's samples."""
        return timings(self.sampled)


def reference(
    captured: Captured,
    inputs: Tensors,
    eager: Sequence[torch.Tensor] | None = None,
    drawn: Drawn | None = None,
) -> numerics.Reference:
    """The program's outputs in float64, computed by its own framework, since what was captured may
    be wrong; where the framework cannot do so, those of `eager`, which are computed here unless
    they are given. Random numbers are those `drawn`."""
    keys = _keys(captured, inputs, drawn) if orders(captured) else ()
    try:
        with nullcontext() if drawn is None else drawn.again():
            return numerics.Reference(arrays.to_torch_all(captured.exact(inputs)), keys)
    except NoReference as refused:
        own = arrays.to_torch_all(captured.eager(inputs)) if eager is None else eager
        return numerics.Reference(own, keys, numerics.IN_OWN_TYPES + refused.message)


def orders(captured: Captured) -> bool:
    """Whether a program sorts elements, so that equal ones may come in several orders."""
    return any(o.op in ORDERING for each in captured.graphs for o in each.graph.walk())


def _keys(
    captured: Captured, inputs: Tensors, drawn: Drawn | None
) -> tuple[tuple[Places | Taken, Sequence[torch.Tensor]], ...]:
    """For those outputs that are places, what they are the places of: in float64 where that is
    known, of a program of several graphs as eager has it. Of what is `drawn` they are not."""
    if drawn is not None:
        return ()
    if captured.session is not None:
        placed = enumerate(captured.session.placed(inputs))
        return tuple((Places(i, p.dim, p.keys.dtype), (p.keys, p.lines)) for i, p in placed if p)
    inputs = arrays.to_torch_all(inputs)
    graph = captured.graph_for(inputs)
    places = places_of(graph)
    if not places:
        return ()
    wanted = Graph.of(graph.name, graph.inputs, [value for p in places for value in p.needs])
    found = iter(eval_torch.evaluate(wanted, inputs, float_dtype=torch.float64))
    return tuple((p, [next(found) for _ in p.needs]) for p in places)


def check(
    runnables: Mapping[str, Runnable],
    captured: Captured,
    inputs: Tensors,
    also: Sequence[Sequence[torch.Tensor]] = (),
    only: str = "",
) -> dict[str, report.Numerics]:
    """The errors of one call of each runnable on `inputs` against float64; runnables["eager"] must
    be there. Each of `also` has outputs that are as right, element by element. `only` names the one
    whose verdict is asked for: where it is right, nobody looks for what would excuse another."""
    reuse_memory()
    try:
        with torch.no_grad():
            outputs = {name: r.run(inputs) for name, r in runnables.items()}
            return _evaluated(
                outputs, runnables["eager"], captured, inputs, also, only=only,
                smaller=partial(_smaller, runnables, captured, inputs),
            )  # fmt: skip
    finally:
        if captured.session is not None:
            captured.session.restore()


def outputs_of(
    runnables: Mapping[str, Runnable], captured: Captured, inputs: Tensors
) -> dict[str, list[torch.Tensor]]:
    """What one call of each runnable gives for `inputs`."""
    try:
        with torch.no_grad():
            return {name: r.run(inputs) for name, r in runnables.items()}
    finally:
        if captured.session is not None:
            captured.session.restore()


def _evaluated(
    outputs: Mapping[str, Sequence[torch.Tensor]],
    eager: Runnable,
    captured: Captured,
    inputs: Tensors,
    also: Sequence[Sequence[torch.Tensor]] = (),
    drawn: Drawn | None = None,
    only: str = "",
    smaller: Callable[[], Mapping[str, report.Numerics]] = dict,
) -> dict[str, report.Numerics]:
    """The errors of `outputs`, which are of one call on `inputs`; `smaller` gives those of one on
    much smaller inputs."""
    exact = replace(reference(captured, inputs, outputs["eager"], drawn), also=also)
    found = _by_place(numerics.check(outputs, exact), outputs, eager, captured, inputs, drawn)
    if all(n.ok for name, n in found.items() if only in ("", name)):
        return found
    if not _is_steady(eager, inputs, outputs["eager"]):
        return numerics.unsteady(found)
    rounded = rounding.check(
        outputs, exact, eager, captured.session, lambda eager: eager.run(inputs),
        rounding.coarsest_unit(captured),
        intermediate_rounding.rounded(captured, eager, inputs, outputs["eager"]), smaller,
    )  # fmt: skip
    return {name: n if n.ok else rounded[name] for name, n in found.items()}


def _is_steady(eager: Runnable, inputs: Tensors, outputs: Sequence[torch.Tensor]) -> bool:
    """Whether each call on the same inputs gives `outputs`, or would but for the order in which
    threads add to what they share."""
    if numerics.is_same(outputs, eager.run(inputs)):
        return True
    with one_thread():
        return numerics.is_same(eager.run(inputs), eager.run(inputs))


def _smaller(
    runnables: Mapping[str, Runnable], captured: Captured, inputs: Tensors
) -> dict[str, report.Numerics]:
    """The errors of one call of each on inputs so small that nothing chaotic is left of most
    programs, by tolerance alone."""
    small = [rounding.changed(x, lambda y: y * chaos.SMALLER) for x in inputs]
    outputs = {name: r.run(small) for name, r in runnables.items()}
    return numerics.check(outputs, reference(captured, small, outputs["eager"]))


def _by_place(
    found: dict[str, report.Numerics],
    outputs: Mapping[str, Sequence[torch.Tensor]],
    eager: Runnable,
    captured: Captured,
    inputs: Tensors,
    drawn: Drawn | None,
) -> dict[str, report.Numerics]:
    """`found`; what is not right there is held against the program once more, with equal elements
    in the order that they have."""
    if all(n.ok for n in found.values()) or not orders(captured):
        return found
    with FirstOfEqual() as mode:
        own = eager.run(inputs)
        exact = reference(captured, inputs, own, drawn)
    again = numerics.check({**outputs, "eager": own}, exact) if mode.called else found
    return {name: n if n.ok or name == "eager" else again[name] for name, n in found.items()}


def check_seeded(
    runnables: Mapping[str, Runnable], captured: Captured, inputs: Tensors
) -> dict[str, report.Numerics]:
    """As `check`, for a program that draws random numbers: in float64 it is given those that eager
    draws. Each runnable draws with the same seed; only one that draws in eager's order can be
    right."""
    own = generators_of(o for each in captured.graphs for o in each.graph.walk())
    before = [(generator, generator.get_state()) for generator in own]
    seeded = {name: _seeded(r, before) for name, r in runnables.items()}
    try:
        with torch.no_grad(), torch.random.fork_rng():
            drawn = Drawn()
            if not intermediate_rounding.by_operations(captured):
                drawn.unknown = "a program with branches or loops"
            with nullcontext() if drawn.unknown else drawn:
                outputs = {"eager": seeded["eager"].run(inputs)}
            outputs |= {name: r.run(inputs) for name, r in seeded.items() if name != "eager"}
            return _evaluated(outputs, seeded["eager"], captured, inputs, drawn=drawn)
    finally:
        if captured.session is not None:
            captured.session.restore()


def _seeded(
    runnable: Runnable, own: Sequence[tuple[torch.Generator, torch.Tensor]] = ()
) -> Runnable:
    """`runnable` with one seed at each call, and the program's `own` generators in these states."""

    def prepare(inputs: Tensors) -> Any:
        torch.manual_seed(_FIRST_SEED)
        for generator, state in own:
            generator.set_state(state)
        return runnable.prepare(inputs)

    return replace(runnable, prepare=prepare)


def measure(
    runnables: Mapping[str, Runnable],
    captured: Captured,
    *,
    random: bool = False,
    budget_s: float = BUDGET_S,
    progress: Progress = lambda _: None,
    rest: Rest = no_rest,
) -> Measured:
    """Interleaved samples of all runnables, for about `budget_s` seconds; runnables["eager"] must
    be there, and the caller has the lease of the device. `random`: the program draws numbers from
    a generator. `progress` is called with the fraction done, and `rest` wherever others may go
    first for a moment. Raises MeasureError naming the compiler whose program fails."""
    allocator = reuse_memory()
    device = device_of(captured)
    inputs, sets = input_sets(captured, device)
    if captured.session is not None:
        _meet(runnables, inputs)
        runnables = {name: given_anew(captured, r) for name, r in runnables.items()}
    samples = sample(runnables, inputs, budget_s=budget_s, progress=progress, rest=rest)
    rest()
    overflowed = captured.session is not None and captured.session.has_overflowed()
    checked = None if random else _checked(runnables, captured, samples)
    goes_on = _GOES_ON + (_OVERFLOWED if overflowed else "")
    outputs = _CHECKED if checked is not None else _DRAWN if random else goes_on
    graphs = [each.graph for each in captured.graphs]
    costs = {name: r.costs for name, r in runnables.items()}
    # Where Python runs all of it, nothing is known of what it must move.
    sampled = Sampled(samples, costs, floor(graphs, device), roof(graphs, device))
    return Measured(sampled, checked, [sets, allocator, outputs])


def _meet(runnables: Mapping[str, Runnable], inputs: Sequence[Tensors]) -> None:
    """Calls each on all inputs: where Python decides by a number of theirs, a compiler compiles for
    each number that it meets, which is no part of any call's time."""
    for name, runnable in runnables.items():
        try:
            for each in inputs:
                runnable.finished(runnable.prepare(each))
        except Exception as error:
            raise MeasureError(f"{name}'s program does not run: {error}") from error


def _checked(
    runnables: Mapping[str, Runnable], captured: Captured, samples: Samples
) -> dict[str, report.Numerics] | None:
    """Of the last round's outputs. A program that changes more than its results (parameters, an
    optimizer's state) has been timed on and on from its own changes: no two can be compared."""
    if captured.session is not None:
        captured.session.restore()
        return None
    outputs = {n: [x.clone() for x in r.outputs(samples.results[n])] for n, r in runnables.items()}
    smaller = partial(_smaller, runnables, captured, samples.checked)
    return _evaluated(outputs, runnables["eager"], captured, samples.checked, smaller=smaller)
