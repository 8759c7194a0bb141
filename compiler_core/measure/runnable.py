"""One compiler's version of a program, ready to be timed, with what compiling it took.

Only `call` is timed. Before it, `prepare` converts the flat inputs (tensors of the program's
framework) to the arguments of `call`; after it, `outputs` converts its result to flat torch
tensors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Runnable:
    """`call` is synchronous: it returns when the result has been computed (see `waiting`). `timed`,
    of what runs in another process, is the nanoseconds of one call for each of several `prepare`d
    by that process's own clock, and the last one's result."""

    prepare: Callable[[Tensors], Any]
    call: Callable[[Any], Any]
    outputs: Callable[[Any], list[torch.Tensor]]
    costs: Costs = Costs()
    timed: Callable[[Sequence[Any]], tuple[int, Any]] | None = None

    def run(self, inputs: Tensors) -> list[torch.Tensor]:
        """Copies of the outputs for `inputs`."""
        return [x.clone() for x in self.outputs(self.call(self.prepare(inputs)))]


def eager(captured: Captured, framework: Framework, device: str = "cpu") -> Runnable:
    """The program as its framework runs it, operation by operation."""
    native, session = captured.native, captured.session
    if session is not None:
        return Runnable(session.prepare, waiting(session.eager, device), session.outputs)
    if framework == "jax":
        return Runnable(captured.call, _ready(native), arrays.jax_leaves)
    if captured.written:
        return Runnable(tuple, waiting(captured.eager, device), arrays.torch_leaves)
    call = waiting(lambda given: native(*given[0], **given[1]), device)
    return Runnable(captured.call, call, arrays.torch_leaves)


def core(
    executable: Callable[[Sequence[torch.Tensor]], list[torch.Tensor]],
    costs: Costs = Costs(),
    device: str = "cpu",
) -> Runnable:
    """The core's executable. It takes and returns torch tensors, for JAX programs too."""
    call = waiting(executable, device)
    return Runnable(arrays.to_torch_all, call, arrays.torch_leaves, costs)


def linked(session: Session, costs: Costs = Costs(), device: str = "cpu") -> Runnable:
    """A program of several graphs: the core's executables, and the author's Python between them."""
    return Runnable(session.prepare, waiting(session.compiled, device), session.outputs, costs)


def traced(session: Session, device: str = "cpu") -> Runnable:
    """A program of several graphs as the framework runs them, with its author's Python between."""
    return Runnable(session.prepare, waiting(session.by_tracer, device), session.outputs)


def _ready(native: Callable[..., Any]) -> Callable[[Any], Any]:
    """`native` with jax.block_until_ready on its result: JAX dispatches asynchronously."""
    import jax

    return lambda given: jax.block_until_ready(native(*given[0], **given[1]))


def waiting(call: Callable[[Any], Any], device: str) -> Callable[[Any], Any]:
    """`call`, followed by a synchronization on an accelerator, whose launches are asynchronous."""
    if device == "cpu":
        return call

    def run(given: Any) -> Any:
        result = call(given)
        torch.accelerator.synchronize()
        return result

    return run


def device_of(captured: Captured) -> str:
    """The device type of the program's inputs: "cpu" or "cuda"."""
    devices = (x.device.type for x in captured.arguments if isinstance(x, torch.Tensor))
    return next((kind for kind in devices if kind != "cpu"), "cpu")
