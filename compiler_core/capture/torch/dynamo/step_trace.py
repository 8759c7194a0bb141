"""One call of a program on tensors without values, with autograd on: every ATen operation of its
forward pass, of its backward passes and of its optimizer's step."""

import contextlib
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.attention import AsMathematics
from compiler_core.capture.torch.compositions import in_place_of_torchs
from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.dynamo.beside import nothing_else_changes
from compiler_core.capture.torch.leaving import LeavesGraph, within_the_graph
from compiler_core.capture.torch.mode import Args, Kwargs, Mode
from compiler_core.capture.torch.trace import LIFTS
from compiler_core.errors import sentence_of
from compiler_core.interop import structures
from compiler_core.interop.private import FakeTensor, FakeTensorMode, pytree
from compiler_core.snippet.source import is_own


class Number:
    """The result of `tensor.item()` on a tensor without a value: it may be returned; any other use
    raises LeavesGraph."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    def _leaves(self, *_: Any) -> Any:
        raise LeavesGraph

    __repr__ = __format__ = __bool__ = __float__ = __int__ = __eq__ = __hash__ = _leaves


def _asked(tensor: torch.Tensor) -> Number:
    return Number(tensor)


class Results(NamedTuple):
    """The result of a call: `again` rebuilds it from its `leaves`. The leaves at `tensors` are the
    graph's outputs; those among them at `numbers` are the Python numbers in these."""

    leaves: Sequence[Any]
    tensors: Sequence[int]
    numbers: Sequence[int]
    again: Callable[[Sequence[Any]], Any]

    def rebuild(self, tensors: Sequence[torch.Tensor]) -> Any:
        """The result with the graph's outputs `tensors` as leaves."""
        leaves = list(self.leaves)
        for place, tensor in zip(self.tensors, tensors, strict=True):
            leaves[place] = tensor.item() if place in self.numbers else tensor
        return self.again(leaves)


class StepTrace:
    """The operations of `fn` called with `given`, as `module`. Its inputs are the arguments'
    tensors, their gradients, then `closed`, the other tensors that the call uses: an int in it is
    the position of one in `with_gradients(state)`. What a call changes in place is changed in
    place. The outputs are the tensors of the result (`results`), then the new gradients of the
    tensors at `gradients` among the arguments and the `state`, then what optimizers add to their
    state, in the slots `kept`. Raises LeavesGraph for Python that no graph can express, and what
    torch raises where Python asks for a value."""

    def __init__(
        self, fn: Callable[..., Any], given: Arguments, state: Sequence[torch.Tensor]
    ) -> None:
        self._fn, self._given, self._state = fn, given, state
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        fake = partial(mode.from_tensor, static_shapes=True)
        fakes = [fake(x) for x in given.tensors]
        before = with_gradients(state)
        self._known = {id(x): fake(x) for x in before}
        with (
            # On a thread of its own, a gradient's computation would show no frame of the snippet.
            torch.autograd.set_multithreading_enabled(False),
            torch.enable_grad(),
            mock.patch.object(torch.Tensor, "item", _asked),
            within_the_graph(fake),
            in_place_of_torchs(),
            AsMathematics(),
            _counted_in_tensors(),
            _gradients_kept(state),
            nothing_else_changes(fn, given.leaves) as self._before,
            mode,
        ):
            own = [*fakes, *gradients_of(fakes)]
            module = aot.traced(self._called, [*own, *self._known.values()])
        _without_profiling(module.graph)
        self.closed = [*_used(module.graph, len(own)), *_lifted(module)]
        # Attributes that it has no more are left behind.
        self.module = torch.fx.GraphModule(module, module.graph)

    def _called(self, *given: torch.Tensor) -> list[torch.Tensor]:
        fakes = given[: len(self._given.places)]
        leaves = [*fakes, *self._state]
        before = [x.grad for x in leaves]
        args, kwargs = self._given.call(fakes)
        with _Placed(self._known):
            value = self._fn(*args, **kwargs)
        found = self._of_result(value)
        pairs = zip(before, (x.grad for x in leaves), strict=True)
        new = {i: x for i, (old, x) in enumerate(pairs) if x is not old}
        if any(x is None for x in new.values()):
            raise LeavesGraph  # a gradient that there was is taken away
        self.gradients, self.kept = tuple(new), tuple(self._before.new_slots())
        every = (*found, *new.values(), *(slot.get() for slot in self.kept))
        return [self._known.get(id(x), x) for x in every]

    def _of_result(self, value: Any) -> list[torch.Tensor]:
        leaves, again = structures.flatten(value)
        numbers = [i for i, x in enumerate(leaves) if isinstance(x, Number)]
        tensors = [i for i, x in enumerate(leaves) if isinstance(x, Number | torch.Tensor)]
        others = [None if i in tensors else x for i, x in enumerate(leaves)]
        self.results = Results(others, tensors, numbers, again)
        return [leaves[i].tensor if i in numbers else leaves[i] for i in tensors]


def with_gradients(state: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors of a state, followed by their gradients."""
    return [*state, *gradients_of(state)]


def gradients_of(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The gradients that leaf tensors among these have, in order."""
    return [x.grad for x in tensors if x.is_leaf and x.grad is not None]


def why_not(error: Exception) -> str:
    """Why a call is not a single graph, from the `error` that its trace raised."""
    if isinstance(error, LeavesGraph):
        return "Python does in it what no graph has"
    return f"on tensors without values it raises {sentence_of(error)}"


class _Placed(Mode):
    """Within the context, operations run on those tensors without values that are `known` for those
    with values, by the identity of these; and they are recorded with the lines of the snippet that
    call them."""

    def __init__(self, known: Mapping[int, torch.Tensor]) -> None:
        super().__init__()
        self._known = known

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        args, kwargs = pytree.tree_map_only(torch.Tensor, self._fake, (args, dict(kwargs)))
        if func._schema.is_mutable and not all(map(_has_no_values, pytree.tree_leaves(args))):
            raise LeavesGraph  # nothing is known of what is written to
        result = func(*args, **kwargs)
        frames = [each for each in traceback.extract_stack() if is_own(each.filename)]
        aot.mark("".join(traceback.StackSummary.from_list(frames).format()))
        return result

    def _fake(self, x: torch.Tensor) -> torch.Tensor:
        return self._known.get(id(x), x)


def _has_no_values(x: Any) -> bool:
    return isinstance(x, FakeTensor) or not isinstance(x, torch.Tensor)


@contextlib.contextmanager
def _gradients_kept(state: Sequence[torch.Tensor]) -> Iterator[None]:
    """After the context the tensors of the state have the gradients that they had before."""
    before = [(x, x.grad) for x in state if x.is_leaf]
    try:
        yield
    finally:
        for tensor, gradient in before:
            tensor.grad = gradient


@contextlib.contextmanager
def _counted_in_tensors() -> Iterator[None]:
    """Within the context an optimizer's step leaves its count of steps in a tensor, as it does
    where torch.compile traces it: otherwise it asks for the number."""
    stepping = contextlib.ExitStack()

    def begin(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        stepping.enter_context(mock.patch.object(torch.compiler, "is_compiling", lambda: True))
        for group in optimizer.param_groups:
            if "capturable" in group:
                stepping.enter_context(mock.patch.dict(group, capturable=True))

    hooks = (
        register_optimizer_step_pre_hook(begin),
        register_optimizer_step_post_hook(lambda *_: stepping.close()),
    )
    try:
        yield
    finally:
        stepping.close()
        for hook in hooks:
            hook.remove()


def _without_profiling(graph: torch.fx.Graph) -> None:
    """Optimizers tell torch's profiler what they do, which is no part of it."""
    for node in reversed(graph.nodes):
        if getattr(node.target, "namespace", "") == "profiler":
            graph.erase_node(node)


def _used(graph: torch.fx.Graph, own: int) -> list[int]:
    """Leaves out those inputs after its `own` that it does not use; the numbers of the others."""
    others = [node for node in graph.nodes if node.op == "placeholder"][own:]
    for node in others:
        if not node.users:
            graph.erase_node(node)
    return [i for i, node in enumerate(others) if node.users]


def _lifted(module: torch.fx.GraphModule) -> list[torch.Tensor]:
    """Makes inputs, after its own, of the tensors that a graph has as attributes, but for constants
    that the program makes; these tensors in order, each once."""
    graph = module.graph
    places: dict[int, torch.fx.Node] = {}
    tensors: list[torch.Tensor] = []
    last = [node for node in graph.nodes if node.op == "placeholder"][-1:]
    for node in list(graph.find_nodes(op="get_attr")):
        if all(user.target in LIFTS for user in node.users):
            continue
        tensor = getattr(module, node.target)
        if isinstance(tensor, FakeTensor):
            raise LeavesGraph  # it has no values, and is none of the inputs
        if id(tensor) not in places:
            with graph.inserting_after(last[-1]) if last else graph.inserting_before():
                last.append(graph.placeholder(f"closed_{len(tensors)}"))
            places[id(tensor)] = last[-1]
            tensors.append(tensor)
        node.replace_all_uses_with(places[id(tensor)])
        graph.erase_node(node)
    return tensors
