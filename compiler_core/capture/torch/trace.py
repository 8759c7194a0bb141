"""Running a torch program on fake tensors and recording every ATen operation that it calls.

A dispatch mode sees operations below autograd and below composite functions, with the tensors
themselves: a tensor that no recorded operation returned (a parameter, a buffer, a global) is one
that the program closes over. Nothing is computed and nothing is allocated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.capture.torch import by_shape
from compiler_core.capture.torch.attention import AsMathematics
from compiler_core.capture.torch.constants import ASKING, answer
from compiler_core.capture.torch.leaving import LeavesGraph, calls_skipped, within_the_graph
from compiler_core.capture.torch.memory import BY_MEMORY, Memory, memory_of
from compiler_core.capture.torch.private import is_composite, scan_op
from compiler_core.capture.torch.scopes import Scopes
from compiler_core.capture.torch.substitutes import Substituted
from compiler_core.capture.torch.types import check_unquantized
from compiler_core.interop.private import FakeTensor, FakeTensorMode, TorchDispatchMode
from compiler_core.snippet.source import Place, place

# The operations by which a constant that a program creates, `torch.tensor(2.0)`, enters it.
LIFTS = frozenset({torch.ops.aten.lift_fresh.default, torch.ops.aten.lift_fresh_copy.default})

# A result with its dtype and shape when the operation returned, which in-place operations may
# change later.
TensorResult = tuple[torch.Tensor, torch.dtype, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Call:
    """One ATen operation. `args` are all its arguments in the order of its schema; `results` its
    tensor results, which are kept so that no later tensor can take their identity. An operation
    that takes functions, such as torch.cond, has no schema: `args` are the tensors that are passed
    to all of `regions`. `memory` is what an operation such as as_strided shows, `scope` the path of
    the modules that it is called in."""

    func: Any
    args: tuple[Any, ...]
    results: tuple[TensorResult, ...]
    place: Place | None
    regions: tuple["TracedRegion", ...] = ()
    memory: Memory | None = None
    scope: str = ""


@dataclass(frozen=True, slots=True)
class TracedRegion:
    """A function that was passed to an operation: the calls that it makes on `inputs`. It uses
    nothing else from outside."""

    name: str
    inputs: tuple[torch.Tensor, ...]
    calls: tuple[Call, ...]
    outputs: tuple[torch.Tensor, ...]


def numbered(calls: Iterable[Call], first: int) -> Iterator[tuple[int, Call]]:
    """Every call with the id of its captured operation, from `first` on; those in the regions of a
    call follow it."""
    number = first
    for call in calls:
        yield number, call
        number += 1
        for region in call.regions:
            inner = list(numbered(region.calls, number))
            yield from inner
            number += len(inner)


def size_of(call: Call) -> int:
    """The number of ids that a call takes: its own, and those of the calls in its regions."""
    return sum(1 for _ in numbered((call,), 0))


def is_constant(call: Call) -> bool:
    """Whether a call is `torch.tensor(2.0)` inside a program."""
    arg = call.args[0] if call.args else None
    return call.func in LIFTS and isinstance(arg, torch.Tensor) and arg.ndim == 0


class Trace:
    """A program's calls and what it returns.

    `real` holds the tensors that the program closes over, by the identity of the fake tensor
    that stands for each: no operation may run on them, or the program would change them.
    """

    def __init__(self, mode: FakeTensorMode, program: Callable[..., Any] | None = None) -> None:
        self.mode = mode
        self.scopes = Scopes(program)
        self.calls: list[Call] = []
        self.result: Any = None
        self.real: dict[int, torch.Tensor] = {}
        self._fakes: dict[int, torch.Tensor] = {}
        self.substituted = Substituted()

    def fake(self, arg: Any) -> Any:
        """`arg` with a fake tensor for each real one. Raises Unsupported for a quantized one, for
        which there is no fake one."""
        if isinstance(arg, tuple | list):
            return type(arg)(map(self.fake, arg))
        check_unquantized(arg)
        if not isinstance(arg, torch.Tensor) or isinstance(arg, FakeTensor):
            return arg
        if id(arg) not in self._fakes:
            fake = self.mode.from_tensor(arg, static_shapes=True)
            self._fakes[id(arg)] = fake
            self.real[id(fake)] = arg
        return self._fakes[id(arg)]


class Recorder(TorchDispatchMode):
    """A dispatch mode that appends to `calls` every ATen operation that is called under it."""

    def __init__(self, trace: Trace, calls: list[Call]) -> None:
        super().__init__()
        self._trace, self._calls = trace, calls

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        # A constant made inside the program is known: its value may go into the graph.
        if func not in LIFTS:
            args = self._trace.fake(args)
            kwargs = {name: self._trace.fake(value) for name, value in kwargs.items()}
        result = taken_apart(self, func, args, kwargs)
        if result is not NotImplemented:
            return result
        if func in ASKING and (known := answer(func, args, self._before())) is not None:
            return known
        bound = bind(func, args, kwargs)
        if func._schema.is_mutable:
            self._trace.substituted.places.note_write(func, bound)
        memory = None
        if func in BY_MEMORY:  # as it lies now: an operation in place may change that
            memory = memory_of(func, bound, self._before())
        result = by_shape.given(func, bound)
        if result is None:
            result = func(*args, **kwargs)
        tensors = results_of(result)
        if is_operation(func, tensors):
            scope = self.scope()
            self._calls.append(Call(func, bound, tensors, place(2), memory=memory, scope=scope))
        return result

    def scan(
        self, step: Callable[..., Any], *given: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        """The results of a scan, whose step is traced once. It is used by compositions; scans that
        a program calls itself are followed by TorchDynamo."""
        carried, scanned, rest = self._trace.fake(given)
        rows = [x[0] for x in scanned]
        inputs = tuple(torch.empty_like(x) for x in (*carried, *rows, *rest))
        calls: list[Call] = []
        with Recorder(self._trace, calls):
            outputs = tuple(step(*inputs))
        length = scanned[0].shape[0]
        new = [x.new_empty((length, *x.shape)) for x in outputs[len(carried) :]]
        results = (*map(torch.empty_like, outputs[: len(carried)]), *new)
        region = TracedRegion("body", inputs, tuple(calls), outputs)
        operands = (tuple(carried), tuple(scanned), tuple(rest))
        scope = self.scope()
        values = results_of(results)
        self._calls.append(Call(scan_op, operands, values, place(2), (region,), scope=scope))
        return results

    @contextmanager
    def apart(self) -> Iterator[list[Call]]:
        """Within the context, calls are recorded in a list of their own."""
        before, self._calls = self._calls, []
        try:
            yield self._calls
        finally:
            self._calls = before

    def record(self, call: Call) -> None:
        """Adds a call that torch itself did not make."""
        self._calls.append(call)

    def scope(self) -> str:
        """The path of the modules that are being called at the moment."""
        return self._trace.scopes.here()

    def fake(self, value: Any) -> Any:
        """`value`, or the fake tensor that stands for it."""
        return self._trace.fake(value)

    def _before(self) -> Sequence[Call]:
        """The calls so far, those around the function that is recorded included."""
        apart = self._calls is not self._trace.calls
        return (*self._trace.calls, *self._calls) if apart else self._calls


def taken_apart(
    mode: TorchDispatchMode, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """The result of a composite operation whose parts `mode` is to see; NotImplemented for any
    other operation. In inference mode torch does not decompose composites before a dispatch mode
    sees them."""
    if not torch.is_inference_mode_enabled() or func.namespace == "prim":
        return NotImplemented
    if not is_composite(func):
        return NotImplemented
    with mode:
        return func.decompose(*args, **kwargs)


def is_operation(func: Any, results: Sequence[Any]) -> bool:
    """Whether a call is a captured operation. Questions about a tensor (its device, its sizes) are
    not; a write is, even without a result."""
    return bool(results or func._schema.is_mutable) and func.namespace != "prim"


def results_of(result: Any) -> tuple[TensorResult, ...]:
    """The tensors that an operation returned, as they are now."""
    values = result if isinstance(result, tuple | list) else (result,)
    return tuple((t, t.dtype, tuple(t.shape)) for t in values if isinstance(t, torch.Tensor))


def bind(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call in the order of the operation's schema, with defaults filled in."""
    rest = func._schema.arguments[len(args) :]
    return (*args, *(kwargs.get(a.name, a.default_value) for a in rest))


def trace(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], mode: FakeTensorMode
) -> Trace:
    """The operations that `fn` calls on fake `args`, without autograd, and its result. Raises what
    torch raises where `fn` asks for a tensor's value, LeavesGraph where it does what no graph has,
    and PlaceWritten where it writes into what it took at a place that only a run knows."""
    if calls_skipped(fn):
        raise LeavesGraph
    recorded = Trace(mode, fn)
    with (
        torch.no_grad(),
        # On a thread of its own, a gradient's computation would show no frame of the snippet.
        torch.autograd.set_multithreading_enabled(False),
        AsMathematics(),
        recorded.substituted,
        within_the_graph(recorded.fake),
        recorded.mode,
        Recorder(recorded, recorded.calls),
    ):
        try:
            recorded.result = fn(*args, **kwargs)
            recorded.substituted.places.check()
        finally:
            _drop_fake_gradients(recorded)
    return recorded


def _drop_fake_gradients(recorded: Trace) -> None:
    """A gradient's computation leaves gradients in parameters, and these are real."""
    for tensor in recorded.real.values():
        if tensor.is_leaf and isinstance(tensor.grad, FakeTensor):
            tensor.grad = None
