"""PyTorch's front door: a program is run once on fake tensors and becomes a graph."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from compiler_core.capture.captured import Captured
from compiler_core.capture.fresh import resample
from compiler_core.capture.names import identifier
from compiler_core.capture.torch_errors import capture_error
from compiler_core.capture.torch_lower import Lowering
from compiler_core.capture.torch_names import argument_names, closed_over_names
from compiler_core.capture.torch_text import op_name, text_of
from compiler_core.capture.torch_trace import Call, Trace, trace
from compiler_core.errors import CaptureError
from compiler_core.report import Node
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
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    before = _gradients(program.fn)
    try:
        fakes = [mode.from_tensor(t) for t in arguments.tensors]
        args, kwargs = arguments.call(fakes)
        with mode_for(arguments.tensors) as devices:
            traced = trace(program.fn, args, kwargs, mode)
        if devices.rewritten:
            program = replace(program, fn=Placed(program.fn, devices))
        return _captured(program, arguments, fakes, traced, mode)
    except Exception as error:
        raise capture_error(error, program.fn, program.args, program.kwargs) from error
    finally:
        # A backward pass has left fake gradients in real parameters.
        for parameter, grad in before:
            parameter.grad = grad


def _gradients(fn: Callable[..., Any]) -> list[tuple[torch.Tensor, torch.Tensor | None]]:
    parameters = fn.parameters() if isinstance(fn, torch.nn.Module) else ()
    return [(p, p.grad) for p in parameters]


def _captured(
    program: FoundProgram,
    arguments: Arguments,
    fakes: list[torch.Tensor],
    traced: Trace,
    mode: FakeTensorMode,
) -> Captured:
    lowering = Lowering(mode, traced.grad)
    names = argument_names(program.fn, program.args, program.kwargs)
    named = [(names[place], fake) for place, fake in zip(arguments.places, fakes, strict=True)]
    for name, fake in named:
        lowering.parameter(fake, name)
    lowering.closed_over = closed_over_names(program.fn, program.args)
    lowering.run(traced)
    results, spec = pytree.tree_flatten(traced.result)
    places = [i for i, x in enumerate(results) if isinstance(x, torch.Tensor)]
    if not places:
        raise CaptureError(
            "the program returns no tensor", line=program.line, remedy="return what it computes"
        )
    tensors = [results[i] for i in places]
    outputs = [lowering.read(t) for t in tensors]
    _refuse_written_inputs(lowering, traced.calls)
    lifted = [(lowering.name_of(t), t) for t in lowering.lifted]
    inputs = [*named, *lifted]
    lines = text_of(
        program.name, inputs, traced.calls, tensors, {id(t): name for name, t in inputs}
    )
    run = Runner(program.fn, arguments, tuple(lowering.lifted), traced.grad)
    return Captured(
        graph=lowering.b.graph(identifier(program.name), outputs),
        nodes=tuple(_node(i, call, program.line) for i, call in enumerate(traced.calls)),
        text="".join(f"{line}\n" for line, _ in lines),
        text_nodes=tuple(nodes for _, nodes in lines),
        language="aten",
        arguments=(*arguments.tensors, *lowering.lifted),
        fresh=run.fresh,
        rebuild=_rebuilder(results, places, spec),
        eager=run.eager,
        native=program.fn,
        call=run.call,
    )


def _node(number: int, call: Call, entry: int | None) -> Node:
    line, column = call.place or (entry, None)
    return Node(number, op_name(call.func), line, column)


def _refuse_written_inputs(lowering: Lowering, calls: Sequence[Call]) -> None:
    for tensor, line in lowering.written_inputs(calls):
        raise CaptureError(
            f"the program changes its input `{tensor}` in place",
            line=line,
            remedy="return the new value instead of writing it into the input",
        )


def _rebuilder(
    results: list[Any], places: list[int], spec: pytree.TreeSpec
) -> Callable[[Sequence[Any]], Any]:
    # The fake tensors among the results must not be kept alive.
    constants = [None if i in set(places) else x for i, x in enumerate(results)]

    def rebuild(outputs: Sequence[Any]) -> Any:
        leaves = list(constants)
        for place, output in zip(places, outputs, strict=True):
            leaves[place] = output
        return pytree.tree_unflatten(leaves, spec)

    return rebuild


class Runner:
    """The program over flat inputs, run by torch itself."""

    def __init__(
        self,
        fn: Callable[..., Any],
        arguments: Arguments,
        lifted: tuple[torch.Tensor, ...],
        grad: bool,
    ) -> None:
        self.fn, self.arguments, self.lifted, self.grad = fn, arguments, lifted, grad
        self.wants_grad = [t.requires_grad for t in arguments.tensors]

    def call(self, flat: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        tensors = flat[: len(self.wants_grad)]
        if self.grad:
            tensors = [
                t.detach().requires_grad_(wants)
                for t, wants in zip(tensors, self.wants_grad, strict=True)
            ]
        return self.arguments.call(tensors)

    def eager(self, flat: Sequence[Any]) -> list[Any]:
        """Closed-over tensors are replaced only where they are not the program's own."""
        args, kwargs = self.call(flat)
        given = flat[len(self.wants_grad) :]
        swapped = [(t, t.data, g) for t, g in zip(self.lifted, given, strict=True) if t is not g]
        for tensor, _, other in swapped:
            tensor.data = other
        try:
            with torch.set_grad_enabled(self.grad):
                result = self.fn(*args, **kwargs)
        finally:
            for tensor, data, _ in swapped:
                tensor.data = data
            self._clear_gradients()
        return [t.detach() for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]

    def _clear_gradients(self) -> None:
        if self.grad:
            for tensor in self.lifted:
                tensor.grad = None

    def fresh(self, seed: int) -> tuple[Any, ...]:
        generator = np.random.default_rng(seed)
        return (*(_resampled(t, generator) for t in self.arguments.tensors), *self.lifted)


def _resampled(tensor: torch.Tensor, generator: np.random.Generator) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    # numpy has no bfloat16: such values pass through float32 without loss.
    values = tensor.detach().cpu()
    wide = values if values.dtype in (torch.float32, torch.float64) else values.float()
    made = torch.from_numpy(np.ascontiguousarray(resample(wide.numpy(), generator)))
    return made.to(device=tensor.device, dtype=tensor.dtype)
