"""The snippet's own call of what it compiles, repeated: with its arguments, its options of
torch.compile, and gradients enabled or not as they were."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.dynamo.copied import copies
from compiler_core.capture.torch.dynamo.state import State
from compiler_core.reference.subject import Subject
from compiler_core.snippet.calls import Call
from compiler_core.snippet.original import original

# The options of torch.compile that are Dynamo's, not the back end's.
_DYNAMOS = ("fullgraph", "dynamic", "recompile_limit", "isolate_recompiles")
# The one option among the back end's that is Dynamo's.
_FILTER = "guard_filter_fn"


@dataclass(frozen=True)
class Calling:
    """The snippet's calls of one function, and how torch.compile was asked to compile it."""

    subject: Subject
    fn: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        program, captured = self.subject.program, self.subject.captured
        # A backward pass that was appended to the program is none of what the snippet compiles, and
        # an autocast is entered around each call.
        plain = original(program.fn)
        own = plain if program.calls else program.fn
        placed = captured.native is not program.fn and not program.gradients
        object.__setattr__(self, "fn", captured.native if placed else own)

    @property
    def options(self) -> Mapping[str, Any]:
        """torch.compile's options, as the snippet gave them."""
        return self.subject.program.options

    def compiled(self, backend: Callable[..., Any]) -> Callable[..., Any]:
        """The function compiled by Dynamo, whose graphs go to `backend`."""
        own = {name: self.options[name] for name in _DYNAMOS if name in self.options}
        inner = self.options.get("options") or {}
        if _FILTER in inner:
            own["options"] = {_FILTER: inner[_FILTER]}
        function: Callable[..., Any] = torch.compile(self.fn, backend=backend, **own)
        return function

    @property
    def calls(self) -> tuple[Call, ...]:
        """The snippet's distinct calls; for a program that the snippet does not call, the one that
        was found for it."""
        program = self.subject.program
        found = Call(program.args, program.kwargs, None, True, None, (), marks=program.marks)
        return program.calls or (found,)

    def make(self, call: Call, compiled: Callable[..., Any]) -> Any:
        """Makes one of the calls with the function `compiled`. Raises what the program or Dynamo
        raises."""
        # Lists among its arguments have to be as they were before their leaves are asked for.
        with call.under_way(), self._unchanged(call.args, call.kwargs) as (args, kwargs):
            return compiled(*args, **kwargs)

    @contextmanager
    def _unchanged(self, args: Any, kwargs: Any) -> Iterator[tuple[Any, Any]]:
        """Context of a call whose writes are undone: to its arguments, and to what it closes
        over."""
        captured, arguments = self.subject.captured, Arguments(args, kwargs)
        state = State(self.fn, arguments.leaves)
        writes = captured.session is not None or captured.written
        given = _copied(arguments.tensors) if writes else arguments.tensors
        try:
            yield arguments.call(given)
        finally:
            state.restore()


def _copied(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Copies that have the marks of mark_dynamic and its kin."""
    copied = copies(tensors)
    for tensor, marked in zip(copied, tensors, strict=True):
        for name, value in vars(marked).items():
            if name.startswith("_dynamo_"):
                setattr(tensor, name, value)
    return copied
