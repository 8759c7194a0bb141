"""A call that differentiates a gradient, as one graph, which AOTAutograd alone cannot make: it
supports a single backward pass. Traced with autograd on (step_trace.py), forward pass, backward
passes and the optimizer's step are one list of operations without anything left to differentiate,
and AOTAutograd makes a graph of it as of a program without gradients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.dynamo.beside import Slot
from compiler_core.capture.torch.dynamo.pieces import Recorder
from compiler_core.capture.torch.dynamo.state import optimizers
from compiler_core.capture.torch.dynamo.step_trace import (
    Results,
    StepTrace,
    gradients_of,
    with_gradients,
)
from compiler_core.capture.torch.names import argument_names, closed_over_names


class WholeStep:
    """`fn` as graphs of all that it does, recorded by `recorder`: one for each combination of types
    of its arguments and state. A call returns what `fn` does, and changes the tensors of `state`,
    their gradients and those of the arguments as `fn` does. It raises whatever StepTrace does.
    `leaves` are those of arguments with which `fn` is known to be called."""

    def __init__(
        self,
        fn: Callable[..., Any],
        leaves: Sequence[Any],
        state: Sequence[torch.Tensor],
        recorder: Recorder,
    ) -> None:
        self._fn, self._recorder = fn, recorder
        self._fixed, self._optimizers = list(state), optimizers(fn, leaves)
        self._known: dict[Any, _Graph] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given, state = Arguments(args, kwargs), self._state()
        form = tuple(map(_form, (*given.tensors, *state)))
        if form not in self._known:
            self._known[form] = self._graph(given, state)
        with torch.no_grad():
            return self._known[form].run(given.tensors, state)

    def _state(self) -> list[torch.Tensor]:
        """With what optimizers have begun to keep since."""
        every = (x for o in self._optimizers for kept in o.state.values() for x in kept.values())
        known = {id(x) for x in self._fixed}
        return self._fixed + [
            x for x in every if isinstance(x, torch.Tensor) and id(x) not in known
        ]

    def _graph(self, given: Arguments, state: Sequence[torch.Tensor]) -> "_Graph":
        trace = StepTrace(self._fn, given, state)
        args, kwargs = given.call(given.tensors)
        known = argument_names(self._fn, args, kwargs)
        names = {
            **closed_over_names(self._fn, args),
            **{id(given.leaves[place]): known[place] for place in given.places},
        }
        leaves = [x for x in (*given.tensors, *state) if x.is_leaf and x.grad is not None]
        names |= {id(x.grad): f"{names.get(id(x), '')}.grad" for x in leaves}
        graph = _Graph(trace.closed, trace.results, trace.gradients, trace.kept)
        inputs = graph.inputs(given.tensors, state)
        with torch.no_grad():
            called = [names.get(id(x), "") for x in inputs]
            graph.by = self._recorder.whole(trace.module, inputs, called)
        return graph


def _form(x: torch.Tensor) -> Any:
    """What the graph depends on."""
    gradient = x.grad if x.is_leaf else None
    about = None if gradient is None else (gradient.stride(), gradient.dtype)
    return x.shape, x.stride(), x.dtype, x.device, x.requires_grad, about


@dataclass
class _Graph:
    """`by` runs a graph with the inputs and outputs of a StepTrace."""

    closed: Sequence[torch.Tensor | int]
    results: Results
    gradients: Sequence[int]
    kept: Sequence[Slot]
    by: Callable[..., Sequence[torch.Tensor]] = tuple

    def inputs(
        self, given: Sequence[torch.Tensor], state: Sequence[torch.Tensor]
    ) -> list[torch.Tensor]:
        """The graph's inputs for a call with the tensors `given` and this state."""
        known = with_gradients(state)
        closed = [known[x] if isinstance(x, int) else x for x in self.closed]
        return [*given, *gradients_of(given), *closed]

    def run(self, given: Sequence[torch.Tensor], state: Sequence[torch.Tensor]) -> Any:
        """Runs the graph, sets the gradients and the optimizers' state, and returns the call's
        result."""
        found = iter(self.by(*self.inputs(given, state)))
        results = list(islice(found, len(self.results.tensors)))
        leaves = [*given, *state]
        for place in self.gradients:
            leaves[place].grad = next(found)
        for slot in self.kept:
            slot.put(next(found))
        return self.results.rebuild(results)
