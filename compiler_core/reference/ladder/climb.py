"""A program on each rung: its outputs, and what it took to compute them."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.dynamo import backward
from compiler_core.capture.torch.dynamo import private as dynamo
from compiler_core.capture.torch.dynamo.state import State
from compiler_core.interop import arrays
from compiler_core.measure import numerics, rounding
from compiler_core.measure.intermediate_rounding import rounded
from compiler_core.measure.output_error import error_of
from compiler_core.measure.run import reference
from compiler_core.measure.runnable import Runnable, eager
from compiler_core.reference.dynamo import private
from compiler_core.reference.dynamo.apart import apart
from compiler_core.reference.dynamo.breaks import met
from compiler_core.reference.dynamo.heard import Break, as_break
from compiler_core.reference.ladder.backends import RUNGS, Rung, backend, settings
from compiler_core.reference.subject import Subject
from compiler_core.snippet.output import unlogged
from compiler_core.snippet.own_operations import lack_of
from compiler_core.snippet.raised import is_interrupt
from compiler_core.snippet.remedies import words_of
from compiler_core.snippet.source import is_own, line_of

_SEED = 0
_RUNG = "rung "


@dataclass
class Climbed:
    """One rung: milliseconds of the first call, numbers of graphs and of graph breaks, as the look
    into TorchDynamo counts them, and the outputs; or the error that was raised, in one sentence,
    and what to do about it where that is the snippet's to mend."""

    rung: Rung
    ms: float = 0.0
    graphs: int = 0
    breaks: int = 0
    outputs: Sequence[torch.Tensor] = ()
    raised: str = ""
    remedy: str = ""
    line: int | None = None


def climb(subject: Subject) -> Iterator[Climbed]:
    """Each rung, as it is reached. An error on one does not stop the others."""
    for rung in RUNGS:
        climbed = Climbed(rung)
        try:
            _run(subject, climbed)
        except BaseException as error:
            if is_interrupt(error):
                raise
            cause = dynamo.raised_in_backend(error) if isinstance(error, Exception) else error
            climbed.raised, climbed.line = words_of(cause), _line(error)
            climbed.remedy = lack.remedy if (lack := lack_of(str(cause))) else ""
        yield climbed


def _line(error: BaseException) -> int | None:
    stack = getattr(error, "real_stack", None) or ()
    own = [frame.lineno for frame in stack if is_own(frame.filename)]
    return own[-1] if own else line_of(error)


def _run(subject: Subject, climbed: Climbed) -> None:
    """With gradients recorded where the snippet's call records them: AOTAutograd then divides the
    forward from the backward pass."""
    captured, options = subject.captured, subject.program.options
    inner = backend(climbed.rung.name, options)

    def counting(graph: Any, examples: Any, **_: Any) -> Any:
        climbed.graphs += 1
        return inner(graph, examples)

    heard: list[Break] = []

    def broke(error: Any, reason: str, stack: Sequence[Any]) -> None:
        heard.append(as_break(error, reason, stack))

    own = {k: options[k] for k in ("fullgraph", "dynamic") if k in options}
    state = State(captured.native, ())
    try:
        with apart(captured), settings(), unlogged(), private.on_break(broke), _seeded():
            compiled = torch.compile(captured.native, backend=counting, **own)

            def timed(*args: Any, **kwargs: Any) -> Any:
                begin = time.perf_counter()
                with torch.set_grad_enabled(_records(subject)):
                    result = compiled(*args, **kwargs)
                climbed.ms = (time.perf_counter() - begin) * 1e3
                return result

            climbed.outputs = _outputs(captured, timed)
    finally:
        climbed.breaks = len(met([each for each in heard if not _is_between(each)], ()))
        state.restore()
        if captured.session is not None:
            captured.call(captured.arguments)


def _is_between(each: Break) -> bool:
    """Whether it is between the snippet's call and its own backward pass, which follows there."""
    return bool(each.stack) and each.stack[-1].file == backward.__file__


def _records(subject: Subject) -> bool:
    """Whether the call records gradients."""
    calls = subject.program.calls
    return subject.captured.grad or not calls or calls[0].grad


def _outputs(captured: Captured, function: Callable[..., Any]) -> list[torch.Tensor]:
    """Copies of what the program gives, with `function` in its place, and of what it writes: its
    state, which may be among them, is restored."""
    if captured.session is None and captured.by is not None:
        found = captured.by(function, captured.arguments)
    else:
        args, kwargs = captured.call(captured.arguments)
        result = function(*args, **kwargs)
        session = captured.session
        found = arrays.torch_leaves(result) if session is None else session.outputs(result)
    return [x.detach().clone() for x in found]


@contextmanager
def _seeded() -> Iterator[None]:
    """Context in which torch draws the same random numbers each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        yield


@dataclass(frozen=True)
class Compared:
    """How the rungs that have outputs compare, by name: their errors against float64, the rungs
    whose outputs equal torch's own bit by bit, and those of which no output has a larger error than
    torch's own."""

    errors: Mapping[str, report.Numerics]
    equal: frozenset[str]
    no_further: frozenset[str] = frozenset()


def compare(subject: Subject, climbed: Sequence[Climbed]) -> Compared:
    """Compares the outputs of the rungs with the program in float64, and with torch itself."""
    captured = subject.captured
    with _seeded():
        plain = [x.detach().clone() for x in captured.eager(captured.arguments)]
    with _seeded():
        exact = reference(captured, captured.arguments, plain)
    outputs = {each.rung.name: each.outputs for each in climbed if not each.raised}
    # Numerics' "eager" is torch alone; the rung of that name is Dynamo's graphs run by torch.
    renamed = {f"{_RUNG}{name}": found for name, found in outputs.items()}
    checked = _checked(captured, {"eager": plain} | renamed, exact)
    equal = frozenset(n for n, found in outputs.items() if _equal(found, plain))
    near = frozenset(n for n, x in outputs.items() if _is_no_further(x, plain, exact.outputs))
    return Compared({name: checked[f"{_RUNG}{name}"] for name in outputs}, equal, near)


def _checked(
    captured: Captured, outputs: Mapping[str, Sequence[torch.Tensor]], exact: numerics.Reference
) -> Mapping[str, report.Numerics]:
    """As the outputs of compilers are that are timed: what rounding alone decides, as the gradient
    of a bias before a batch norm, is no fault of a rung's."""
    found = numerics.check(outputs, exact)
    if all(each.ok for each in found.values()):
        return found

    def run(version: Runnable) -> Sequence[torch.Tensor]:
        with _seeded(), torch.no_grad():
            return version.run(captured.arguments)

    plain, unit = eager(captured, "torch"), rounding.coarsest_unit(captured)
    try:
        on_the_way = rounded(captured, plain, captured.arguments, outputs["eager"])
        return rounding.check(outputs, exact, plain, captured.session, run, unit, on_the_way)
    finally:
        if captured.session is not None:
            captured.session.restore()


def _is_no_further(
    found: Sequence[torch.Tensor], plain: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]
) -> bool:
    """Whether no output is further from float64 than torch's own is."""
    return all(_is_near(*each) for each in zip(found, plain, exact, strict=True))


def _is_near(found: torch.Tensor, plain: torch.Tensor, exact: torch.Tensor) -> bool:
    own, error = error_of(plain, exact), error_of(found, exact)
    return found.dtype == plain.dtype and not error.wrong and error.absolute <= own.absolute


def _equal(found: Sequence[torch.Tensor], plain: Sequence[torch.Tensor]) -> bool:
    return all(x.dtype == y.dtype and torch.equal(x, y) for x, y in zip(found, plain, strict=True))
