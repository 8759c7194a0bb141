"""A program of several graphs, run as its author wrote it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import torch

from compiler_core.capture.captured import Late, Placed
from compiler_core.capture.fresh import Draw, resample
from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.dynamo import aot, private
from compiler_core.capture.torch.dynamo.copied import copies, filled, redrawn
from compiler_core.capture.torch.dynamo.limits import Notify, notify_limits
from compiler_core.capture.torch.dynamo.linked import Linked
from compiler_core.capture.torch.dynamo.lowered import Lowered, lower
from compiler_core.capture.torch.dynamo.pieces import Executable, Piece, Recorder
from compiler_core.capture.torch.dynamo.said_sizes import with_sizes_named
from compiler_core.capture.torch.dynamo.state import Begun, State, owners
from compiler_core.capture.torch.dynamo.whole_step import WholeStep
from compiler_core.capture.torch.float64 import InFloat64, by_default
from compiler_core.capture.torch.following import Following
from compiler_core.errors import NoReference
from compiler_core.interop.complex_pairs import pack, paired, unpack
from compiler_core.interop.structures import leaves_of
from compiler_core.ir.sizes import Undecided
from compiler_core.snippet.devices import Mode

Given = tuple[tuple[Any, ...], dict[str, Any]]


class Session:
    """Implements captured.Session for torch. `recorder.pieces` are the graphs, once `compiled` has
    run. Everything runs in `mode`, which replaces devices that this machine does not have.
    `recurrent`: Dynamo follows layers such as nn.LSTM, which it otherwise leaves to Python. `begun`
    is the state that optimizers create in their first step; it is there at every call, since Dynamo
    compiles a step for these tensors and would recompile it for others."""

    def __init__(
        self,
        fn: Callable[..., Any],
        arguments: Arguments,
        grad: bool,
        mode: Mode | None = None,
        functions: bool = False,
        recurrent: bool = False,
        begun: Sequence[Begun] = (),
    ) -> None:
        self._functions = functions
        self._following: Callable[[], AbstractContextManager[Any]] = (
            private.recurrent if recurrent else nullcontext
        )
        self.fn, self.arguments, self.grad = fn, arguments, grad
        self._mode: AbstractContextManager[Any] = mode or nullcontext()
        self.state = State(fn, arguments.leaves, begun)
        self.recorder = Recorder(on_piece=lambda piece: None, owners=owners(fn, arguments.leaves))
        self.lowered: list[Lowered] = []
        # Who runs the graphs; torch itself, where it is None.
        self._linked: Linked | None = None
        self._notify: Notify = lambda *_: None
        # The tensors of the arguments that were prepared last.
        self._given: list[torch.Tensor] = []
        # Python's numbers in functions of the program, with which these were compiled first.
        self._numbers: dict[Any, float] = {}
        self._compiled: Callable[..., Any] = torch.compile(
            fn, backend=self.recorder.backend, dynamic=False
        )

    def as_whole_step(self) -> None:
        """Makes `compiled` run a single graph of all that a call does (whole_step.py) from now
        on."""
        leaves = self.arguments.leaves
        self._compiled = WholeStep(self.fn, leaves, self.state.tensors, self.recorder)

    def prepare(self, flat: Sequence[Any]) -> Given:
        """Restores the state, and copies the arguments, into which a program may write."""
        self.state.restore()
        return self.anew(flat)

    def anew(self, flat: Sequence[Any]) -> Given:
        """Copies the arguments alone: the state is what the last run has left."""
        originals = self.arguments.tensors
        given = [unpack(x, t.dtype) for x, t in zip(flat, originals, strict=True)]
        return self._call(filled(copies(originals), given))

    def _call(self, tensors: list[torch.Tensor]) -> Given:
        self._given = tensors
        return self.arguments.call(tensors)

    def eager(self, given: Given) -> Any:
        """The result of the program as Python runs it."""
        with torch.set_grad_enabled(self.grad), self._mode:
            return self.fn(*given[0], **given[1])

    def compiled(self, given: Given) -> Any:
        """The result by its compiled graphs, with Python between them."""
        with torch.set_grad_enabled(self.grad), self._mode, private.compiling(self._settings):
            return self._compiled(*given[0], **given[1])

    @contextmanager
    def _settings(self) -> Iterator[None]:
        """How Dynamo compiles the program."""
        with (
            self._following(),
            private.numpy_draws(),
            private.python_draws(),
            private.values_in_python(),
            private.numbers_vary(self._numbers),
            private.untimed_guards(),
        ):
            yield

    def by_tracer(self, given: Given, backend: str = "eager") -> Any:
        """The result by TorchDynamo with one of torch's own backends, that compiles nothing."""
        with torch.set_grad_enabled(self.grad), self._mode, private.untimed_guards():
            followed = torch.compile(self.fn, backend=backend, dynamic=False)
            return followed(*given[0], **given[1])

    def by_gradient_tracer(self, given: Given) -> Any:
        """The result by TorchDynamo and AOTAutograd, without a compiler after them."""
        return self.by_tracer(given, "aot_eager")

    def outputs(self, result: Any) -> list[Any]:
        """What the program returned (`results`), then the tensors and gradients that the program
        may have changed."""
        gradients = [x.grad for x in self._given if x.grad is not None]
        changed = (*self._given, *gradients, *self.state.now())
        return [*self.results(result), *(paired(t.detach()) for t in changed)]

    def results(self, result: Any) -> list[Any]:
        """The tensors of the result, then its arrays of numpy and its numbers."""
        every = leaves_of(result)
        leaves = [t for t in every if isinstance(t, torch.Tensor)]
        leaves += [torch.from_numpy(np.array(x)) for x in every if _is_array(x)]
        leaves += numbers(every)
        return [paired(t.detach()) for t in leaves]

    def has_new_tensor(self, result: Any) -> bool:
        """Whether a result contains a tensor that is not one of the arguments, or a number that was
        asked of them."""
        every = leaves_of(result)
        leaves = [t for t in every if isinstance(t, torch.Tensor)]
        new = not all(any(t is x for x in self._given) for t in leaves)
        return new or any(type(x) in (bool, float) for x in every)

    @property
    def _takes_functions(self) -> bool:
        """Whether torch.cond or its kin are in the program, in a graph or between graphs."""
        return self._functions or any(
            o.regions for each in self.lowered for o in each.graph.graph.operations
        )

    def exact(self, flat: Sequence[Any]) -> list[Any]:
        """Runs the function in float64 and returns its `outputs`. Raises NoReference."""
        self.prepare(flat)
        given = self._call(copies(self._given, torch.float64))
        with self.state.in_float64(), by_default() if self._takes_functions else InFloat64():
            try:
                return [x.clone() for x in self.outputs(self.eager(given))]
            except Exception as error:
                raise NoReference(error) from error

    def placed(self, flat: Sequence[Any]) -> list[Placed | None]:
        """What each of the `outputs` of an eager run has indices of, or None."""
        try:
            given = self.prepare(flat)
            with Following() as following:
                result = self.eager(given)
            return [following.at(x) for x in self.outputs(result)]
        finally:
            self.restore()

    def change(self, changed: Callable[[torch.Tensor], torch.Tensor]) -> None:
        """Applies `changed` to the tensors of the restored state."""
        self.state.change(changed)

    def restore(self) -> None:
        """Puts back what the program may have changed: parameters, buffers, gradients."""
        self.state.leave()

    def has_overflowed(self) -> bool:
        """Whether parameters, buffers and the like hold infinities or NaN that they did not."""
        return self.state.has_overflowed()

    def run_eager(self, flat: Sequence[Any]) -> list[Any]:
        """The outputs of an eager run from the restored state."""
        try:
            return [x.clone() for x in self.outputs(self.eager(self.prepare(flat)))]
        finally:
            self.restore()

    def fresh(self, seed: int, draw: Draw = resample) -> tuple[Any, ...]:
        """Arguments of the same shapes and dtypes with other values, by `seed`."""
        return tuple(map(pack, redrawn(self.arguments.tensors, seed, draw)))

    def add(self, piece: Piece) -> Lowered:
        """Lowers the piece as the program's next graph, and from now on runs it by what the session
        is linked to."""
        found = lower(piece, len(self.lowered), sum(len(x.graph.nodes) for x in self.lowered))
        self.lowered.append(found)
        piece.run = partial(self._run, found, piece.run)
        return found

    def _run(self, lowered: Lowered, by_torch: aot.Boxed, args: list[Any]) -> list[Any]:
        run = by_torch if self._linked is None else self._linked.of(lowered)
        return run(args)

    def link(
        self, executables: Sequence[Executable], late: Late, notify: Notify = lambda *_: None
    ) -> None:
        """Gives the pieces what runs them. Pieces that Dynamo makes later are compiled by `late`;
        `notify` is called where Dynamo gives up compiling."""
        self._linked = Linked.of_all(self.lowered, executables, late)
        self.recorder.on_piece, self._notify = self._met, notify
        notify_limits(notify)

    def linked(self, executables: Sequence[Executable], late: Late) -> Callable[[Given], Any]:
        """`compiled` as a function that runs the pieces by these executables, without changing what
        the session is linked to."""
        own = Linked.of_all(self.lowered, executables, late)

        def run(given: Given) -> Any:
            before, self._linked = self._linked, own
            met, self.recorder.on_piece = self.recorder.on_piece, self._met
            try:
                return self.compiled(given)
            finally:
                self._linked, self.recorder.on_piece = before, met

        return run

    def _met(self, piece: Piece) -> None:
        try:
            lowered = self.add(piece)
        except Undecided as question:
            line = piece.place.line if piece.place else 1
            self._notify(_BY_TORCH.format(with_sizes_named(question.message, piece)), line)
            return
        if self._linked is not None:
            self._linked.of(lowered)


_BY_TORCH = "a later call's graph is run by PyTorch: it is one for several sizes, and {}"


def numbers(leaves: Sequence[Any]) -> list[torch.Tensor]:
    """The Python numbers among the leaves of a result, as scalar tensors: floats in f32, since they
    come from elements of tensors that are seldom wider, and integers that fit in i64."""
    plain = [x for x in leaves if type(x) in (bool, int, float) and _fits(x)]
    return [torch.tensor(x, dtype=torch.float32 if type(x) is float else None) for x in plain]


def _fits(number: float) -> bool:
    return type(number) is not int or -(2**63) <= number < 2**63


def _is_array(value: Any) -> bool:
    """Whether a value is an array or a scalar of numpy with numbers in it."""
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc"
