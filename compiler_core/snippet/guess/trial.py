"""One guess tried: the program is called on tensors that have shapes and types but no values, in
torch on fake tensors, in JAX under jax.eval_shape. Where a program decides by values, torch is
tried with real ones."""

import copy
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from compiler_core.errors import FuselabError
from compiler_core.inputs import Arguments, Call, InputSpec
from compiler_core.report import Framework
from compiler_core.snippet.guess.optimizers import with_gradients
from compiler_core.snippet.guess.training import has_optimizer
from compiler_core.snippet.guess.unchanged import Kept
from compiler_core.snippet.modes import Modes, without_values
from compiler_core.snippet.output import suppress
from compiler_core.snippet.plain import entry, is_optimizer
from compiler_core.snippet.private import arguments_validated, whole_tracebacks
from compiler_core.snippet.raised import exit_error, is_interrupt
from compiler_core.snippet.remedies import words_of
from compiler_core.snippet.signature import argument_names
from compiler_core.snippet.source import is_own
from compiler_core.snippet.specs import leaves
from compiler_core.snippet.tensors import maker, numpy_dtype, torch_dtype
from compiler_core.snippet.values import built

# The class names of torch's exceptions where a fake tensor is asked for its value.
_NEEDS_VALUES = frozenset((
    "DataDependentOutputException", "DynamicOutputShapeException", "UnsupportedFakeTensorException",
    "GuardOnDataDependentSymNode", "UnsupportedOperatorException", "NotImplementedError",
    "TracerBoolConversionError", "TracerArrayConversionError", "ConcretizationTypeError",
    "NonConcreteBooleanIndexError",
))  # fmt: skip
# The error of a call that succeeds and has nothing to compile.
NO_TENSOR = "it returns no tensor"
# The most elements of a result, half a GiB of float32: more mean that unrelated sizes were
# broadcast, and the call is not tried with values.
_LARGEST, _TOO_LARGE = 1 << 27, "its results have more than 2^27 elements"
# The largest share of NaN in the results of a plausible guess.
_MOST_NAN = 0.25
# A line beyond all others, for a call that reached its end.
FAR = 1 << 30


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call. `error` is None if it succeeded, else the first line of the message
    `whole`. `lines` are the snippet's lines where it ended, outermost first: a guess that got
    further is better. `by_values`: it got as far as it can without values. `hollow`: it succeeded,
    and its result is NaN. `absent` is a missing package that ended it."""

    error: str | None = None
    lines: tuple[int, ...] = ()
    by_values: bool = False
    hollow: bool = False
    absent: str = ""
    whole: str = ""

    @property
    def ok(self) -> bool:
        """Whether the call succeeded, as far as can be told without values."""
        return self.error is None


@dataclass(frozen=True)
class Subject:
    """What is tried: a function or module, or a class that is constructed first; `method` is the
    method of its objects that is called if these are not callable. `seed` is that of the arguments'
    values, None for the usual ones."""

    fn: Callable[..., Any]
    framework: Framework
    names: ModuleType
    device: str
    method: str = ""
    seed: int | None = None

    def program(self, call: Call) -> Callable[..., Any]:
        """The function, or an object of the class, constructed with `call`'s constructor
        arguments, or its method where it cannot be called; the parameters of an optimizer have
        gradients."""
        if call.constructor is None:
            return self.fn
        args, kwargs = built(call.constructor, maker(self.framework, self.device), self.names)
        result = self.fn(*args, **kwargs)
        if is_optimizer(self.fn):
            with_gradients(result, self.device)
        if self.method:
            return getattr(result, self.method)
        return result if callable(result) else getattr(result, entry(result))

    def arguments(
        self, inputs: Arguments, specs: dict[int, InputSpec] | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Real arguments. `specs` is given the spec of each tensor, by its id."""
        make = maker(self.framework, self.device, self.seed)

        def noted(spec: InputSpec) -> Any:
            tensor = make(spec)
            if specs is not None:
                specs[id(tensor)] = spec
            return tensor

        return built(inputs, noted, self.names, self.parameters)

    @property
    def parameters(self) -> Sequence[str]:
        """The names of the parameters that take the positional inputs."""
        called = self.fn
        if inspect.isclass(called):
            called = getattr(called, self.method or entry(called))
            return argument_names(called)[1:]
        return argument_names(called)


def abstractly(subject: Subject, call: Call) -> Outcome:
    """`call` on tensors without values."""
    return _outcome(_TRIES[subject.framework], subject, call)


def really(subject: Subject, call: Call) -> Outcome:
    """`call` run once by the framework on real values, so that indices are in range and nothing is
    left undecided. JAX only evaluates shapes again: what its transformations accept, it can run."""
    return _outcome(_shapes if subject.framework == "jax" else _real, subject, call)


def constructed(subject: Subject, call: Call) -> tuple[Outcome, Any]:
    """An object of the class that `call` constructs, without values; None if it cannot be
    constructed."""
    outcome, instance = _ended(_object, subject, call)
    return outcome, instance


def _outcome(run: Callable[[Subject, Call], Any], subject: Subject, call: Call) -> Outcome:
    outcome, result = _ended(run, subject, call)
    if not outcome.ok:
        return outcome
    changes = is_optimizer(subject.fn) or has_optimizer(call)
    if not changes and not any(_is_answer(leaf, call) for leaf in leaves(result)):
        return Outcome(NO_TENSOR, (FAR,), by_values=run is _fake)  # it may write into something
    if sum(map(_size, leaves(result))) > _LARGEST:
        return Outcome(_TOO_LARGE, (FAR,))
    return Outcome(hollow=run is _real and _is_hollow(leaves(result)))


def _size(leaf: Any) -> int:
    """Its elements, of a tensor."""
    return math.prod(leaf.shape) if isinstance(getattr(leaf, "shape", None), tuple) else 0


def _is_hollow(leaves: Sequence[Any]) -> bool:
    """Whether a good part of any of torch's results is NaN."""
    return any(_nan(leaf) > _MOST_NAN for leaf in leaves)


def _nan(leaf: Any) -> float:
    import torch

    if not isinstance(leaf, torch.Tensor) or not leaf.is_floating_point() or not leaf.numel():
        return 0.0
    return float(leaf.isnan().double().mean())


def _is_answer(leaf: Any, call: Call) -> bool:
    """A tensor; or of tensors a number, as torch.equal gives it."""
    return hasattr(leaf, "shape") or (bool(call.inputs.specs) and type(leaf) in (bool, float))


def _ended(
    run: Callable[[Subject, Call], Any], subject: Subject, call: Call
) -> tuple[Outcome, Any]:
    modes, kept = Modes.now(), Kept.now(subject.names)
    try:
        with suppress(), _ERRORS[subject.framework]():
            return Outcome(), run(subject, call)
    except SystemExit as end:
        return Outcome(exit_error(end).sentence), None
    except BaseException as error:
        if is_interrupt(error):
            raise
        by_values = any(type(e).__name__ in _NEEDS_VALUES for e in _chain(error))
        absent = (e.name for e in _chain(error) if isinstance(e, ModuleNotFoundError))
        outcome = Outcome(
            _sentence(error), _lines(error), by_values, whole=" ".join(map(str, error.args))
        )
        return replace(outcome, absent=next(filter(None, absent), "")), None
    finally:
        kept.restore()
        modes.restore()


def _sentence(error: BaseException) -> str:
    return error.sentence if isinstance(error, FuselabError) else words_of(error)


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _lines(error: BaseException) -> tuple[int, ...]:
    found, trace = [], error.__traceback__
    while trace is not None:
        if is_own(trace.tb_frame.f_code.co_filename):
            found.append(trace.tb_lineno)
        trace = trace.tb_next
    return tuple(found)


def _fake(subject: Subject, call: Call) -> Any:
    import torch

    def make(spec: InputSpec) -> Any:
        return torch.empty(spec.shape, dtype=torch_dtype(spec), device=subject.device)

    with without_values():
        program = subject.program(call)
        args, kwargs = built(call.inputs, make, subject.names, subject.parameters)
        return program(*args, **kwargs)


def _object(subject: Subject, call: Call) -> Any:
    if subject.framework == "jax":
        return subject.program(call)
    with without_values():
        return subject.program(call)


def _real(subject: Subject, call: Call) -> Any:
    import torch

    torch.manual_seed(0)
    program = subject.program(call)
    if program is subject.fn and isinstance(program, torch.nn.Module):
        program = copy.deepcopy(program)  # its running statistics are the snippet's
    args, kwargs = subject.arguments(call.inputs)
    before = [(tensor, tensor.detach().clone()) for tensor in _tensors((*args, *kwargs.values()))]
    result = program(*args, **kwargs)
    written = [now for now, then in before if not torch.equal(now.detach(), then)]
    return written if result is None else result


def _tensors(given: Sequence[Any]) -> Iterator[Any]:
    """The tensors among arguments, and those of the modules among them."""
    import torch

    for value in given:
        if isinstance(value, torch.nn.Module):
            yield from (*value.parameters(), *value.buffers())
        elif isinstance(value, torch.Tensor):
            yield value


def _shapes(subject: Subject, call: Call) -> Any:
    import jax

    program = subject.program(call)
    args, kwargs = built(call.inputs, _without_values, subject.names, subject.parameters)
    given, tree = jax.tree.flatten((args, kwargs))
    arrays = {i: x for i, x in enumerate(given) if hasattr(x, "shape")}

    def run(values: Mapping[int, Any]) -> Any:
        own_args, own_kwargs = jax.tree.unflatten(
            tree, [values.get(i, x) for i, x in enumerate(given)]
        )
        return program(*own_args, **own_kwargs)

    return jax.eval_shape(run, arrays)


def _without_values(spec: InputSpec) -> Any:
    # Nobody looks at them: where a search tries sizes of a gigabyte, drawing them is all its time,
    # while memory that is only zero is not there before it is written.
    return np.zeros(spec.shape, numpy_dtype(spec))


_TRIES: dict[Framework, Callable[[Subject, Call], Any]] = {"torch": _fake, "jax": _shapes}
# Contexts in which a framework's errors say more, or are raised sooner.
_ERRORS: dict[Framework, Callable[[], AbstractContextManager[None]]] = {
    "torch": arguments_validated, "jax": whole_tracebacks,
}  # fmt: skip
