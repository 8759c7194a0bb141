"""torch.cond and torch.while_loop on the trace itself, where sizes are symbols.

torch runs both through TorchDynamo, which would ask for the sizes. Here the functions that they
take are called on the trace: what these use from outside becomes an operand of the operation.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from compiler_core.capture.torch.leaving import LeavesGraph
from compiler_core.capture.torch.private import (
    cond_op,
    current_mode,
    functions_called_by,
    while_loop_op,
)
from compiler_core.capture.torch.trace import (
    Call,
    Recorder,
    TracedRegion,
    is_constant,
    numbered,
    results_of,
)
from compiler_core.interop.private import pytree
from compiler_core.snippet.source import place

Tensors = Sequence[torch.Tensor]


@contextmanager
def functions_followed() -> Iterator[None]:
    """Context in which a trace follows the functions that torch.cond and torch.while_loop take.
    Raises LeavesGraph for one that writes to what is not its own, or returns what is no tensor."""
    with functions_called_by(_call):
        yield


def has_functions(calls: Sequence[Call]) -> bool:
    """Whether one of the calls, or of those in regions, is of such an operation."""
    return any(call.func in (cond_op, while_loop_op) for _, call in numbered(calls, 0))


def _call(otherwise: Callable[..., Any], name: str, *args: Any) -> Any:
    recorder = current_mode()
    if name not in _FOLLOWED or not isinstance(recorder, Recorder):
        return otherwise()
    return _FOLLOWED[name](recorder, *args)


def _cond(
    recorder: Recorder, predicate: Any, true_fn: Any, false_fn: Any, operands: Sequence[Any]
) -> Any:
    if not isinstance(predicate, torch.Tensor):
        return (true_fn if predicate else false_fn)(*operands)
    branches = [_followed(recorder, fn, (), operands) for fn in (true_fn, false_fn)]
    results = [branch.outputs for branch in branches]
    _check_alike(*results)
    given = [(predicate,)]
    new = _record(recorder, cond_op, ("true", "false"), branches, given, results[0])
    return pytree.tree_unflatten(new, branches[0].structure)


def _while(
    recorder: Recorder, proceed: Any, body: Any, carried: Tensors, more: Sequence[Any]
) -> Any:
    if more or not all(isinstance(x, torch.Tensor) for x in carried):
        raise LeavesGraph
    steps = [_followed(recorder, fn, carried, ()) for fn in (proceed, body)]
    _check_alike(carried, steps[1].outputs)
    new = _record(recorder, while_loop_op, ("cond", "body"), steps, [carried], carried)
    return pytree.tree_unflatten(new, steps[1].structure)


_FOLLOWED = {"_cond_op_wrapper": _cond, "_while_loop_op_wrapper": _while}


class _Function:
    """One function as it was followed: `own` are its arguments, which stand for `carried`; `free`
    is what else it uses of what was there before."""

    def __init__(self, own: Tensors, calls: Sequence[Call], result: Any) -> None:
        self.own, self.calls = own, calls
        self.outputs, self.structure = pytree.tree_flatten(result)
        if not all(isinstance(x, torch.Tensor) for x in self.outputs):
            raise LeavesGraph
        inside = {id(t) for call in calls for t, _, _ in call.results} | set(map(id, own))
        used = [*(call.args for call in calls if not is_constant(call)), self.outputs]
        self.free = [t for t in _tensors(used) if id(t) not in inside]
        written = {_memory(x) for call in calls for x in _written(call)}
        if written & set(map(_memory, (*self.free, *own))):
            raise LeavesGraph

    def region(self, name: str, free: Tensors, stand_ins: Tensors) -> TracedRegion:
        """The function as a region, with `stand_ins` in place of the tensors `free` that it uses
        from outside: two regions may not have the same tensors as arguments."""
        new = {id(t): other for t, other in zip(free, stand_ins, strict=True)}
        replaced = partial(pytree.tree_map, lambda x: new.get(id(x), x))
        calls = tuple(replace(call, args=replaced(call.args)) for call in self.calls)
        outputs = tuple(replaced(self.outputs))
        return TracedRegion(name, (*self.own, *stand_ins), calls, outputs)


def _followed(recorder: Recorder, fn: Any, carried: Tensors, operands: Sequence[Any]) -> _Function:
    with recorder.apart():
        own = _like(carried)
    with recorder.apart() as calls:
        result = fn(*own, *operands)
    if any(call.memory is not None for call in calls):
        raise LeavesGraph
    return _Function(own, calls, pytree.tree_map(recorder.fake, result))


def _record(
    recorder: Recorder,
    operation: Any,
    names: Sequence[str],
    functions: Sequence[_Function],
    given: Sequence[Tensors],
    results: Tensors,
) -> list[torch.Tensor]:
    """Records the operation, and returns its results, which are like `results`."""
    free = list({id(t): t for each in functions for t in each.free}.values())
    with recorder.apart():
        regions = [
            each.region(name, free, _like(free))
            for name, each in zip(names, functions, strict=True)
        ]
        new = _like(results)
    operands = (*map(tuple, given), tuple(free))
    values, scope = results_of(new), recorder.scope()
    recorder.record(Call(operation, operands, values, place(2), tuple(regions), scope=scope))
    return new


def _like(tensors: Tensors) -> list[torch.Tensor]:
    return [torch.empty_like(x) for x in tensors]


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [x for x in pytree.tree_leaves(tree) if isinstance(x, torch.Tensor)]


def _written(call: Call) -> list[torch.Tensor]:
    if call.regions or not call.func._schema.is_mutable:
        return []
    given = zip(call.args, call.func._schema.arguments, strict=True)
    return _tensors([x for x, a in given if a.alias_info is not None and a.alias_info.is_write])


def _memory(x: torch.Tensor) -> int:
    return x.untyped_storage()._cdata


def _check_alike(one: Tensors, other: Tensors) -> None:
    types = [[(x.dtype, tuple(x.shape)) for x in each] for each in (one, other)]
    if types[0] != types[1]:
        raise LeavesGraph
