"""What only the rounding of the inputs decides is no fault of a compiler.

The sign of a sum that cancels, for example, is right or wrong by luck, and an optimizer's first
step is that sign: the bias before a batch norm, whose gradient is zero but for rounding, takes a
whole step in one direction or the other. So where a result is wrong, eager is run again to find how
far its own result depends on the last place of what it is given: inputs, parameters, buffers, an
optimizer's state. Arrays that a JAX program closes over are its constants, and stay as they are.

Intermediate rounding may move a result more than that of the inputs: where eager's own result is
right by luck, another order of summation gives a wrong one. Then torch is also run with the last
place of every intermediate result moved.

A program may round more coarsely than its inputs are: under autocast, products are in bfloat16.
Where eager itself is wrong for that reason, its inputs are moved by a unit of the coarsest type
that is computed in.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import msgspec
import torch

from compiler_core import report
from compiler_core.capture.captured import Captured, Session
from compiler_core.interop import arrays
from compiler_core.interop.names import framework_name
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.measure import numerics, units
from compiler_core.measure.output_error import TOLERANCES
from compiler_core.measure.runnable import Runnable, Tensors

# How often eager is asked: an element that each rounding leaves as it is with a chance of a third
# is one of a million then. Of slow programs fewer, after so many seconds of the processors: who has
# to wait for these is evaluated as ever. The first rounding has code made ready, and does not
# count.
_ROUNDINGS = 12
_FEW, _PATIENCE_S = 4, 5.0
_ROUNDED = frozenset(framework_name(dtype) for dtype in TOLERANCES) | {"complex64", "complex128"}

Run = Callable[[Runnable], Sequence[torch.Tensor]]
# Eager's outputs, rounded otherwise by a seed.
Way = Callable[[int], Sequence[torch.Tensor]]


def check(
    outputs: Mapping[str, Sequence[torch.Tensor]],
    reference: numerics.Reference,
    eager: Runnable,
    session: Session | None,
    run: Run,
    coarsest: float = 0.0,
    on_the_way: Way | None = None,
    smaller: Callable[[], Mapping[str, report.Numerics]] = dict,
) -> dict[str, report.Numerics]:
    """As numerics.check. `run` returns the outputs of a version of `eager` for the inputs of
    `outputs`. `coarsest` is the unit, relative to 1, of the coarsest type that the program computes
    in. `on_the_way` gives eager's outputs with all that it computes rounded otherwise. `smaller`
    evaluates the same compilers on much smaller inputs, by tolerance alone."""

    def by_inputs(unit: float) -> Way:
        return lambda seed: run(otherwise(eager, session, seed, unit))

    return check_by_ways(outputs, reference, by_inputs, coarsest, on_the_way, smaller)


def check_by_ways(
    outputs: Mapping[str, Sequence[torch.Tensor]],
    reference: numerics.Reference,
    by_inputs: Callable[[float], Way],
    coarsest: float = 0.0,
    on_the_way: Way | None = None,
    smaller: Callable[[], Mapping[str, report.Numerics]] = dict,
) -> dict[str, report.Numerics]:
    """As check. `by_inputs` gives eager's outputs for inputs that are rounded differently, by at
    least the unit that it is called with, relative to each element."""
    asking = _Asking(numerics.Compared(outputs, reference))
    changed: list[Sequence[torch.Tensor]] = []
    asking.ask(numerics.ILL_CONDITIONED, by_inputs(0.0), changed)
    if not asking.found["eager"].ok:
        asking.ask(numerics.COARSE, by_inputs(coarsest), [])
    if on_the_way is not None:
        asking.ask(numerics.ON_THE_WAY, on_the_way, changed)
    found = asking.found
    if not found["eager"].ok:
        found |= _of_chance(found, asking.compared.verdicts(changed, chaotic=True), smaller)
    return found


class _Asking:
    """The verdicts so far (`found`), and the processors' time that was spent on more of eager's
    outputs."""

    def __init__(self, compared: numerics.Compared) -> None:
        self.compared, self.found = compared, compared.verdicts()
        self._spent = 0.0

    def ask(self, rule: str, way: Way, changed: list[Sequence[torch.Tensor]]) -> None:
        """Adds to `changed` what `way` gives, seed by seed, until all are right, or it takes too
        long; who is right by that is so by `rule`."""
        after_the_first = 0.0
        for seed in range(_ROUNDINGS):
            slow = seed >= _FEW and after_the_first > _PATIENCE_S
            if self._is_settled() or slow:
                return
            began = time.process_time()
            changed.append(way(seed))
            self._take(rule, self.compared.verdicts(changed))
            took = time.process_time() - began
            after_the_first += took if seed else 0.0
            self._spent += took

    def _is_settled(self) -> bool:
        """Whether all are right, or eager alone is not and was asked for long: nobody waits for
        longer to know why it is off, and what is not known is said."""
        wrong = {name for name, n in self.found.items() if not n.ok}
        if wrong == {"eager"} and self._spent > _PATIENCE_S:
            alone = self.found["eager"]
            self.found["eager"] = msgspec.structs.replace(alone, rule=numerics.NOT_KNOWN)
            return True
        return not wrong

    def _take(self, rule: str, again: Mapping[str, report.Numerics]) -> None:
        for name, verdict in again.items():
            if not self.found[name].ok:
                own = rule if verdict.ok else self.found[name].rule
                self.found[name] = msgspec.structs.replace(verdict, rule=own)


def _of_chance(
    found: Mapping[str, report.Numerics],
    by_chance: Mapping[str, report.Numerics],
    smaller: Callable[[], Mapping[str, report.Numerics]],
) -> dict[str, report.Numerics]:
    """The verdicts that change where eager itself is further off than rounding may be, and may be
    so by chance: who is wrong where rounding does not decide is wrong. Nothing changes where
    somebody is neither certainly wrong nor right by chance."""
    certain = smaller() if by_chance["eager"].ok else {}
    if "eager" not in certain or not certain["eager"].ok:
        return {}
    known = {
        name: msgspec.structs.replace(by_chance[name], rule=numerics.CHAOTIC)
        if certain[name].ok
        else _wrong_when_small(n, certain[name])
        for name, n in found.items()
        if not (n.ok and certain[name].ok)
    }
    undecided = (not n.ok and certain[name].ok for name, n in known.items())
    return {} if any(undecided) else known


def _wrong_when_small(n: report.Numerics, small: report.Numerics) -> report.Numerics:
    error = f"with inputs a 64th of their size {small.error}"
    return msgspec.structs.replace(n, ok=False, error=error)


def coarsest_unit(captured: Captured) -> float:
    """The unit in the last place of 1, in the coarsest floating-point type that is computed in."""
    walks = (each.graph.walk() for each in captured.graphs)
    dtypes = {t.dtype for walk in walks for o in walk for t in o.types if t.dtype.is_float}
    return max((torch.finfo(TORCH[dtype.name]).eps for dtype in dtypes), default=0.0)


def uncompiled() -> AbstractContextManager[Any]:
    """Context for eager under a mode of dispatch: what torch compiles by itself there, as it does
    flex_attention, it would from then on refuse to."""
    context: AbstractContextManager[Any] = torch.compiler.set_stance("force_eager")
    return context


def otherwise(
    runnable: Runnable, session: Session | None, seed: int, unit: float = 0.0
) -> Runnable:
    """`runnable` on inputs that are rounded differently: each element of its floating-point
    tensors, and of those that `session` restores, is moved at random by about a unit in the last
    place of its type, or not at all. `unit` is the least such unit, relative to the element."""
    generator = torch.Generator().manual_seed(seed)

    def moved(x: torch.Tensor) -> torch.Tensor:
        return units.moved(x, generator, unit)

    def prepare(inputs: Tensors) -> Any:
        given = runnable.prepare([changed(x, moved) for x in inputs])
        if session is not None:
            session.change(lambda x: changed(x, moved))
        return given

    return replace(runnable, prepare=prepare)


def changed(x: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """A tensor or a jax.Array of floating-point or complex numbers, changed; anything else as it
    is."""
    if isinstance(x, torch.Tensor):
        return change(x) if units.rounds(x) else x
    if framework_name(getattr(x, "dtype", "")) not in _ROUNDED:
        return x
    return arrays.to_jax(change(arrays.to_torch(x)))
