"""The snippet's distinct calls, repeated with everything that is compiled for them, before and
after a remedy: the cost of recompilation."""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core import report
from compiler_core.capture.torch.dynamo import private
from compiler_core.capture.torch.dynamo.lowered import lower
from compiler_core.capture.torch.dynamo.pieces import Piece, Recorder
from compiler_core.interop import arrays
from compiler_core.measure import numerics
from compiler_core.measure.clock import Clock
from compiler_core.pipeline.one_graph import compile_graph
from compiler_core.pipeline.trials.comparison import Side, time_of
from compiler_core.reference.dynamo.call import Calling
from compiler_core.reference.subject import Subject
from compiler_core.snippet.program import Again

_ROUNDS = 5
# The fewest rounds, even if half of the time is over.
_LEAST = 2


@dataclass(frozen=True)
class Calls:
    """The calls of one side: nanoseconds, number of compilations, and results."""

    ns: int
    compilations: int
    results: list[torch.Tensor]


@dataclass(frozen=True)
class FirstCalls:
    """`wrong` says how the results differ, "" if they agree; `before` and `after` are numbers of
    compilations."""

    time: report.TrialTime
    before: int
    after: int
    wrong: str


def first_calls(before: Side, after: Side, clock: Clock) -> FirstCalls:
    """Makes the calls of both sides alternately, in several rounds: fewer if those would take over
    half of the time. Raises what the program raises, and TooLong if a call is left when the clock
    ends."""
    rounds = _rounds(before, after, clock)
    was, now = ([each[at] for each in rounds] for at in (0, 1))
    compiler = "core" if before.c.program.framework == "torch" else "xla"
    took = time_of(compiler, [m.ns for m in was], [m.ns for m in now], first=True)
    exact = numerics.Reference(was[0].results)
    outputs = {"eager": was[0].results, "changed": now[0].results}
    checked = numerics.check(outputs, exact)["changed"]
    wrong = "" if checked.ok else checked.error or "their error is too large"
    return FirstCalls(took, was[0].compilations, now[0].compilations, wrong)


def _rounds(before: Side, after: Side, clock: Clock) -> list[tuple[Calls, Calls]]:
    half, rounds = clock.left / 2, list[tuple[Calls, Calls]]()
    numbers = _numbers(before, after)
    while len(rounds) < _ROUNDS and (len(rounds) < _LEAST or clock.left > half):
        rounds.append((_calls(before, numbers, clock), _calls(after, numbers, clock)))
    return rounds


def _numbers(before: Side, after: Side) -> list[int]:
    """Which calls of a function of JAX's are made: those that are not like one before, by what the
    snippet itself gives them; with the remedy they may be like one."""
    known = min(len(side.c.program.first_calls) for side in (before, after))
    return [0, *(x.number for x in before.c.program.later if x.number < known)]


def _calls(side: Side, numbers: Sequence[int], clock: Clock) -> Calls:
    with side.at_home():
        if side.c.program.framework == "torch":
            return _by_torch(side, clock)
        return _by_jax(side, numbers, clock)


def _by_torch(side: Side, clock: Clock) -> Calls:
    """By TorchDynamo, with the core as its backend."""
    calling, count = Calling(Subject(side.c.program, side.captured, side.c.options)), 0

    def compile_piece(piece: Piece) -> None:
        nonlocal count
        count += 1
        lowered = lower(piece, 0, 0)
        executable = compile_graph(lowered.graph, piece.device)
        piece.run = lowered.runner(executable)

    private.forget()
    compiled = calling.compiled(Recorder(on_piece=compile_piece).backend)
    try:
        ns, results = _timed(lambda call: calling.make(call, compiled), calling.calls, clock)
    except Exception as error:
        raise private.raised_in_backend(error) from error
    return Calls(ns, count, [x.detach().clone() for x in arrays.torch_leaves(results)])


def _by_jax(side: Side, numbers: Sequence[int], clock: Clock) -> Calls:
    """By jax.jit, of a function that JAX has not seen."""
    import jax

    program, count = side.c.program, 0

    @functools.wraps(program.fn)
    def anew(*args: Any, **kwargs: Any) -> Any:
        nonlocal count
        count += 1
        return program.fn(*args, **kwargs)

    jitted = jax.jit(
        anew,
        static_argnums=program.static_argnums or None,
        static_argnames=program.static_argnames or None,
    )
    first = Again(program.args, program.kwargs, program.called)
    calls = [program.first_calls[number] if number else first for number in numbers]
    ns, results = _timed(
        lambda call: jax.block_until_ready(jitted(*call.args, **call.kwargs)), calls, clock
    )
    return Calls(ns, count, arrays.jax_leaves(results))


def _timed(make: Callable[[Any], Any], calls: Sequence[Any], clock: Clock) -> tuple[int, list[Any]]:
    """Nanoseconds of all calls together, and their results."""
    start, results = time.perf_counter_ns(), []
    for call in calls:
        clock()
        results.append(make(call))
    return time.perf_counter_ns() - start, results
