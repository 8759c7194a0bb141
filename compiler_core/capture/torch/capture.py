"""PyTorch's front door: a program is run once on fake tensors and becomes a graph."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from compiler_core.capture.captured import Captured
from compiler_core.capture.faults import faults_are_ours
from compiler_core.capture.fresh import resample
from compiler_core.capture.names import identifier
from compiler_core.capture.torch.complex_as_real import pack, unpack
from compiler_core.capture.torch.errors import capture_error
from compiler_core.capture.torch.lower import Lowering
from compiler_core.capture.torch.names import argument_names, closed_over_names
from compiler_core.capture.torch.text import op_name, text_of
from compiler_core.capture.torch.trace import Call, Trace, trace
from compiler_core.errors import CaptureError
from compiler_core.report import CapturedOp
from compiler_core.snippet.devices import Placed, mode_for
from compiler_core.snippet.program import FoundProgram


class Arguments:
    """The leaves of one call's arguments: which are tensors, and how to put them back."""

    def __init__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.leaves, self.spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
        self.places = [i for i, x in enumerate(self.leaves) if isinstance(x, torch.Tensor)]

    @property
    def tensors(self) -> list[torch.Tensor]:
        return [self.leaves[i] for i in self.places]

    def call(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) with other tensors; more than there are places for are left over."""
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors, strict=False):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return tuple(args), dict(kwargs)


def capture(program: FoundProgram) -> Captured:
    """Raises CaptureError naming the snippet's line."""
    arguments = Arguments(program.args, program.kwargs)
    # Closed-over tensors are made fake by the recorder; this lets constants through.
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fakes = [mode.from_tensor(t) for t in arguments.tensors]
    args, kwargs = arguments.call(fakes)
    try:
        with mode_for(arguments.tensors) as devices:
            traced = trace(program.fn, args, kwargs, mode)
    except Exception as error:
        raise capture_error(error, program.fn, program.args, program.kwargs) from error
    if devices.rewritten:
        program = replace(program, fn=Placed(program.fn, devices))
    with faults_are_ours():
        return _captured(program, arguments, fakes, traced)


def _captured(
    program: FoundProgram, arguments: Arguments, fakes: list[torch.Tensor], traced: Trace
) -> Captured:
    lowering = Lowering(traced, closed_over_names(program.fn, program.args))
    names = argument_names(program.fn, program.args, program.kwargs)
    for place, fake in zip(arguments.places, fakes, strict=True):
        lowering.parameter(fake, names[place])
    lowering.run()
    result = Result(traced.result, program.line)
    outputs = [lowering.read(t) for t in result.tensors]
    written = lowering.written_inputs()
    outputs += [lowering.inputs[i][2].read() for i in written]
    inputs = [(name, tensor) for name, tensor, _ in lowering.inputs]
    written_names = tuple(inputs[i][0] for i in written)
    lines = text_of(program.name, inputs, traced.calls, result.tensors, written_names)
    run = Runner(program.fn, arguments, tuple(lowering.lifted), traced.grad, frozenset(written))
    return Captured(
        graph=lowering.b.graph(identifier(program.name), outputs),
        nodes=tuple(_node(i, call, program.line) for i, call in enumerate(traced.calls)),
        text="".join(f"{line}\n" for line, _ in lines),
        text_nodes=tuple(nodes for _, nodes in lines),
        language="aten",
        arguments=tuple(map(pack, (*arguments.tensors, *lowering.lifted))),
        fresh=run.fresh,
        rebuild=result.rebuild,
        eager=run.eager,
        native=program.fn,
        call=run.call,
        written=written_names,
    )


class Result:
    """What a program returns: its tensors, and how to put others in their places."""

    def __init__(self, value: Any, line: int | None) -> None:
        leaves, self._spec = pytree.tree_flatten(value)
        self._places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]
        self.tensors = [leaves[i] for i in self._places]
        # The fake tensors themselves are not for keeping.
        self._constants = [None if isinstance(x, torch.Tensor) else x for x in leaves]
        if not self._places:
            raise CaptureError(
                "the program returns no tensor", line=line, remedy="return what it computes"
            )

    def rebuild(self, outputs: Sequence[Any]) -> Any:
        leaves = list(self._constants)
        for place, output in zip(self._places, outputs, strict=False):
            leaves[place] = output
        return pytree.tree_unflatten(leaves, self._spec)


def _node(number: int, call: Call, entry: int | None) -> CapturedOp:
    line, column = call.place or (entry, None)
    return CapturedOp(number, op_name(call.func), line, column)


class Runner:
    """The program over flat inputs, run by torch itself. `written` are the places of the inputs
    that it writes to: it gets copies of them."""

    def __init__(
        self,
        fn: Callable[..., Any],
        arguments: Arguments,
        lifted: tuple[torch.Tensor, ...],
        grad: bool,
        written: frozenset[int],
    ) -> None:
        self.fn, self.arguments, self.lifted, self.grad = fn, arguments, lifted, grad
        self.written = written
        self.count = len(arguments.places)

    def call(self, flat: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return self.arguments.call(self._own(flat))

    def _own(self, flat: Sequence[Any]) -> list[Any]:
        """The arguments among `flat`, as the program may have them."""
        return [
            self._one(i, tensor, original)
            for i, (tensor, original) in enumerate(zip(flat, self.arguments.tensors, strict=False))
        ]

    def _one(self, index: int, tensor: Any, original: torch.Tensor) -> Any:
        tensor = unpack(tensor, original.dtype)
        if self.grad:
            tensor = tensor.detach().requires_grad_(original.requires_grad)
        return tensor.clone() if index in self.written else tensor

    def eager(self, flat: Sequence[Any]) -> list[Any]:
        """Closed-over tensors are replaced only where they are not the program's own."""
        own = self._own(flat)
        swaps = self._swaps(flat[self.count :])
        args, kwargs = self.arguments.call(own)
        for tensor, _, other in swaps:
            tensor.data = other
        try:
            with torch.set_grad_enabled(self.grad):
                result = self.fn(*args, **kwargs)
        finally:
            for tensor, data, _ in swaps:
                tensor.data = data
            self._clear_gradients()
        outputs = [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]
        swapped = {id(tensor): other for tensor, _, other in swaps}
        inputs = (*own, *(swapped.get(id(t), t) for t in self.lifted))
        outputs += [inputs[i] for i in sorted(self.written)]
        return [pack(t.detach()) for t in outputs]

    def _swaps(self, given: Sequence[Any]) -> list[tuple[torch.Tensor, torch.Tensor, Any]]:
        """(closed-over tensor, its data, other data)."""
        swaps = []
        for index, (tensor, other) in enumerate(zip(self.lifted, given, strict=True)):
            if self.count + index in self.written:
                swaps.append((tensor, tensor.data, other.detach().clone()))
            elif other is not tensor:
                swaps.append((tensor, tensor.data, unpack(other, tensor.dtype)))
        return swaps

    def _clear_gradients(self) -> None:
        if self.grad:
            for tensor in self.lifted:
                tensor.grad = None

    def fresh(self, seed: int) -> tuple[Any, ...]:
        generator = np.random.default_rng(seed)
        made = (_resampled(t, generator) for t in self.arguments.tensors)
        return tuple(map(pack, (*made, *self.lifted)))


def _resampled(tensor: torch.Tensor, generator: np.random.Generator) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    # numpy has no bfloat16: such values pass through float32 without loss.
    values = tensor.detach().cpu()
    wide = values if values.dtype in (torch.float32, torch.float64) else values.float()
    made = torch.from_numpy(np.ascontiguousarray(resample(wide.numpy(), generator)))
    return made.to(device=tensor.device, dtype=tensor.dtype)
