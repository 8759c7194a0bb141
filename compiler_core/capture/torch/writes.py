"""In-place operations, and views that replace a tensor: how writes are expressed in a graph without
memory."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import torch

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch import library
from compiler_core.capture.torch.alias import Back, Tensor, returned_new, unview
from compiler_core.capture.torch.decompose import Steps, decomposed
from compiler_core.capture.torch.memory import RESIZES, Memory
from compiler_core.capture.torch.rules import has_rule, rule_of
from compiler_core.capture.torch.text import in_words
from compiler_core.capture.torch.trace import Call, TensorResult, Trace
from compiler_core.capture.torch.types import type_of
from compiler_core.errors import CaptureError
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value


class Lowering(Protocol):
    """The part of lower.Lowering that writes need."""

    b: Builder
    trace: Trace
    tensors: dict[int, Tensor]
    inputs: list[tuple[str, TensorResult, Tensor]]

    def read(self, tensor: torch.Tensor) -> Value: ...
    def operand(self, arg: Any) -> Any: ...
    def operands(self, func: Any, args: Sequence[Any]) -> list[Any]: ...
    def rule(self, call: Call) -> LoweringContext: ...
    def run_steps(self, steps: Steps) -> None: ...


def assign(lowering: Lowering, target: torch.Tensor, node: Value) -> None:
    """Gives `target` the value `node` from here on in the trace."""
    lowering.read(target)
    known = lowering.tensors[id(target)]
    known.write(LoweringContext(lowering.b, (known.node.type,)).like(node, known.node), lowering.b)


def write(lowering: Lowering, call: Call, targets: Sequence[torch.Tensor]) -> None:
    """Lowers an in-place operation: its functional twin, then a write to the tensors that it
    modifies."""
    for target in targets:
        lowering.read(target)
    _fit_out(lowering, call, targets)
    fresh = returned_new(call)
    nodes = _twin(lowering, call, targets, fresh)
    for target, node in zip(targets, nodes, strict=False):
        assign(lowering, target, node)
    returned = [t for t in call.results if not any(t is x for x in fresh)]
    for (tensor, _, _), target in zip(returned, targets, strict=False):
        lowering.tensors.setdefault(id(tensor), lowering.tensors[id(target)])
    for (tensor, _, _), node in zip(fresh, nodes[len(targets) :], strict=True):
        lowering.tensors[id(tensor)] = Tensor(node)


def _fit_out(lowering: Lowering, call: Call, targets: Sequence[torch.Tensor]) -> None:
    """An `out` takes the size of what is written there, as `out=torch.empty(0)` relies on."""
    if not any(a.is_out for a in call.func._schema.arguments):
        return
    for tensor, dtype, shape in call.results:
        given, wanted = lowering.tensors.get(id(tensor)), type_of(dtype, shape)
        if given is None or given.node.type == wanted or not any(tensor is t for t in targets):
            continue
        _refuse_input(lowering, call, tensor)
        empty = lowering.b.scalar(0, wanted.dtype, wanted.shape)
        lowering.tensors[id(tensor)] = Tensor(empty)


def _refuse_input(lowering: Lowering, call: Call, tensor: torch.Tensor) -> None:
    """Whoever calls the compiled program has made its inputs: their sizes stay."""
    for name, (given, _, _), _ in lowering.inputs:
        if given is tensor:
            raise CaptureError(
                f"{in_words(call.func)} makes the input {name} larger",
                remedy="make a new tensor of that size instead",
            )


def _twin(
    lowering: Lowering, call: Call, targets: Sequence[torch.Tensor], fresh: Sequence[TensorResult]
) -> Sequence[Value]:
    """The new values of `targets`, then those of the results that are `fresh`."""
    types = tuple(lowering.tensors[id(t)].node.type for t in targets)
    twin = library.functional_twin(call.func)
    if twin is not None and len(targets) == 1 and not fresh:
        node = _functional(lowering, call, twin, targets[0])
        if node is not None:
            return [node]
    types = (*types, *(type_of(dtype, shape) for _, dtype, shape in fresh))
    return library.write_call(
        LoweringContext(lowering.b, types, call.args), call.func, targets, lowering.operand
    )


def _functional(lowering: Lowering, call: Call, twin: Any, target: torch.Tensor) -> Value | None:
    """What the twin of an operation in place gives: by its row, or by its steps."""
    schema, rule = call.func._schema.arguments, rule_of(call, twin, [target.dtype])
    args = tuple(a for a, s in zip(call.args, schema, strict=True) if not s.is_out)
    if rule is not None:
        types = (lowering.tensors[id(target)].node.type,)
        node = rule(LoweringContext(lowering.b, types, args), *lowering.operands(twin, args))
        if node is not None:
            value: Value = node[0] if isinstance(node, tuple | list) else node
            return value
    result = (target, target.dtype, tuple(target.shape))
    steps = decomposed(Call(twin, args, (result,), call.place), lowering.trace, has_rule)
    if steps is None:
        return None
    lowering.run_steps(steps)
    return lowering.read(steps.results[0])


def view_in_place(lowering: Lowering, call: Call) -> None:
    """Lowers `squeeze_` and the like: the tensor becomes a view of what it was. Raises CaptureError
    for what changes the number of its elements."""
    target, *rest = call.args
    twin = library.functional_twin(call.func)
    rule = rule_of(call, twin)
    if rule is None:
        raise CaptureError(
            f"{in_words(call.func)} changes the size of a tensor in place",
            remedy="make a new tensor of that size instead",
        )
    ctx = lowering.rule(call)
    viewed = Call(twin, call.args, call.results, call.place)

    def read(x: Value) -> Value:
        node = rule(ctx, x, *rest)
        return node[0] if isinstance(node, list) else node

    _show(lowering, target, target, read, partial(unview, viewed, 0))


def view_of_memory(lowering: Lowering, call: Call, memory: Memory) -> None:
    """Lowers `as_strided`; in place, or by `resize_`, the tensor itself becomes such a view."""
    ((shown, _, _),) = call.results
    if call.func in RESIZES and not memory.own.holds(memory.shown):
        _grow(lowering, call, shown, memory)
        return
    _show(lowering, shown, memory.tensor, partial(memory.read, b=lowering.b), memory.write)


def _grow(lowering: Lowering, call: Call, target: torch.Tensor, memory: Memory) -> None:
    """Memory of its own, which the tensor's views do not show."""
    value = lowering.read(target)
    _refuse_input(lowering, call, memory.tensor)
    if memory.tensor is not target:
        raise CaptureError(
            f"{in_words(call.func)} makes a view larger than what it is a view of",
            remedy="make a new tensor of that size instead",
        )
    lowering.tensors[id(target)] = Tensor(memory.grown(value, lowering.b))


def _show(
    lowering: Lowering,
    shown: torch.Tensor,
    base: torch.Tensor,
    read: Callable[[Value], Value],
    back: Back,
) -> None:
    """From here on `shown` is a view of `base`, whose value `read` takes its own from."""
    lowering.read(base)
    before = lowering.tensors[id(base)]

    lowering.tensors[id(shown)] = Tensor(
        read(before.node), before, back, lambda: read(before.read())
    )
