"""One compiler's version of a program, ready to be timed, with what compiling it took.

Only `call` and `finish` are timed. Before them, `prepare` converts the flat inputs (tensors of the
program's framework) to the arguments of `call`; after them, `outputs` converts its result to flat
torch tensors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import torch

from compiler_core.capture.captured import Captured, Session
from compiler_core.interop import arrays
from compiler_core.report import Framework

Tensors = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Costs:
    """Milliseconds until the first result: `capture_ms` for the graph, `compile_ms` from the graph
    to loaded code, `first_call_ms` for all of it with the first call. None where not known."""

    capture_ms: float | None = None
    compile_ms: float | None = None
    first_call_ms: float | None = None

    @property
    def total_ms(self) -> float:
        """Milliseconds spent before the second call."""
        if self.first_call_ms is not None:
            return self.first_call_ms
        return (self.capture_ms or 0.0) + (self.compile_ms or 0.0)


class Event(Protocol):
    """A moment in what a device does."""

    def record(self) -> None:
        """It is when the device has done all that was queued before."""

    def elapsed_time(self, end: Any) -> float | None:
        """Milliseconds from here to `end` by the device's clock; None where it is not asked."""


class NoEvent:
    """The event of what runs on no stream of torch's: it has no time."""

    def record(self) -> None:
        pass

    def elapsed_time(self, end: Any) -> None:
        return None


def nothing(result: Any) -> None:
    """The wait for a result that is there."""


@dataclass(frozen=True, slots=True)
class Runnable:
    """On the CPU `call` returns when its result has been computed. On an accelerator it may have
    queued the work alone, and `finish` waits for all that was queued up to that result: whoever
    needs one result asks `finished`. `event` makes events of the stream that calls run on.
    `timed`, of what runs in another process, is the nanoseconds of one call for each of several
    `prepare`d by that process's own clock, and the last one's result. `again` gives the same
    numbers as `call` and may be sooner: where nothing is timed, it is called instead. `anew`, of
    what may write to its inputs, prepares them for another timed call, and leaves alone what else
    calls have changed."""

    prepare: Callable[[Tensors], Any]
    call: Callable[[Any], Any]
    outputs: Callable[[Any], list[torch.Tensor]]
    costs: Costs = Costs()
    timed: Callable[[Sequence[Any]], tuple[int, Any]] | None = None
    finish: Callable[[Any], object] = nothing
    event: Callable[[], Event] = NoEvent
    device: str = "cpu"
    again: Callable[[Any], Any] | None = None
    anew: Callable[[Tensors], Any] | None = None

    def finished(self, given: Any) -> Any:
        """The result of `call`, computed."""
        result = self.call(given)
        self.finish(result)
        return result

    def run(self, inputs: Tensors) -> list[torch.Tensor]:
        """Copies of the outputs for `inputs`."""
        result = (self.again or self.call)(self.prepare(inputs))
        self.finish(result)
        return [x.clone() for x in self.outputs(result)]


def by_torch(
    prepare: Callable[[Tensors], Any],
    call: Callable[[Any], Any],
    outputs: Callable[[Any], list[torch.Tensor]],
    costs: Costs = Costs(),
    device: str = "cpu",
) -> Runnable:
    """What runs on torch's current stream."""
    if device == "cpu":
        return Runnable(prepare, call, outputs, costs)
    return Runnable(prepare, call, outputs, costs, None, _synchronize, timing_event, device)


def by_jax(
    prepare: Callable[[Tensors], Any],
    call: Callable[[Any], Any],
    costs: Costs = Costs(),
    device: str = "cpu",
    outputs: Callable[[Any], list[torch.Tensor]] = arrays.jax_leaves,
) -> Runnable:
    """What JAX dispatches, which is asynchronous on the CPU, too."""
    import jax

    ready = jax.block_until_ready
    if device == "cpu":
        return Runnable(prepare, lambda given: ready(call(given)), outputs, costs)
    return Runnable(prepare, call, outputs, costs, finish=ready, device=device)


def eager(captured: Captured, framework: Framework, device: str = "cpu") -> Runnable:
    """The program as its framework runs it, operation by operation."""
    native, session = captured.native, captured.session
    if session is not None:
        return by_torch(session.prepare, session.eager, session.outputs, device=device)
    if captured.written and framework == "torch":
        return by_torch(tuple, captured.eager, arrays.torch_leaves, device=device)
    own = natively(captured, native, framework, device)
    if captured.again is None:
        return own
    return replace(own, again=natively(captured, captured.again, framework, device).call)


def natively(
    captured: Captured, fn: Callable[..., Any], framework: Framework, device: str = "cpu"
) -> Runnable:
    """A function of the program's own arguments, run by its framework."""

    def call(given: Any) -> Any:
        return fn(*given[0], **given[1])

    if framework == "jax":
        return by_jax(captured.call, call, device=device)
    return by_torch(captured.call, call, arrays.torch_leaves, device=device)


def core(
    executable: Callable[[Sequence[torch.Tensor]], list[torch.Tensor]],
    costs: Costs = Costs(),
    device: str = "cpu",
) -> Runnable:
    """The core's executable. It takes and returns torch tensors, for JAX programs too."""
    return by_torch(arrays.to_torch_all, executable, arrays.torch_leaves, costs, device)


def linked(session: Session, costs: Costs = Costs(), device: str = "cpu") -> Runnable:
    """A program of several graphs: the core's executables, and the author's Python between them."""
    return by_torch(session.prepare, session.compiled, session.outputs, costs, device)


def traced(session: Session, device: str = "cpu") -> Runnable:
    """A program of several graphs as the framework runs them, with its author's Python between."""
    return by_torch(session.prepare, session.by_tracer, session.outputs, device=device)


timing_event: Callable[[], Event] = partial(torch.cuda.Event, enable_timing=True)


def _synchronize(result: Any) -> None:
    torch.accelerator.synchronize()


def device_of(captured: Captured) -> str:
    """torch's device type for the memory of the program's inputs: "cpu" or "cuda"."""
    kinds = map(arrays.memory_of, captured.arguments)
    return next((kind for kind in kinds if kind != "cpu"), "cpu")


def results(captured: Captured, runnable: Runnable) -> Runnable:
    """`runnable` with only the program's results as outputs, without what it writes to."""
    if captured.session is not None:
        return replace(runnable, outputs=captured.session.results)
    outputs, written = runnable.outputs, len(captured.written)
    return replace(runnable, outputs=lambda r: _without(outputs(r), written))


def given_anew(captured: Captured, runnable: Runnable) -> Runnable:
    """`runnable`, whose timed calls each get inputs of their own where the program may write to
    them: several graphs are called as its author has it, and one is given copies anyway."""
    session = captured.session
    return runnable if session is None else replace(runnable, anew=session.anew)


def _without(outputs: list[torch.Tensor], last: int) -> list[torch.Tensor]:
    return outputs[: len(outputs) - last]
