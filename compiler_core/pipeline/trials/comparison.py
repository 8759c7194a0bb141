"""Two versions of a program, the snippet's own and the one with a remedy: whether their results
agree, and their times in one interleaved run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from msgspec import structs

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.measure import run
from compiler_core.measure.clock import Clock
from compiler_core.measure.runnable import Runnable, Tensors, eager, given_anew, natively, results
from compiler_core.measure.sampling import BLOCKS, Samples, sample
from compiler_core.measure.statistics import Verdict, ratio, repeated, spread, verdict
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.evaluation import costs_of, is_random, own_version, requested
from compiler_core.snippet.execute import as_main
from compiler_core.snippet.output import suppress
from compiler_core.snippet.program import tensors

# Seconds of samples of one remedy.
BUDGET_S = 0.25
_SEED = 1000
_NOISE: Verdict = "same within noise"
_OTHERS = {info.id for info in report.COMPILERS if info.role == "reference"}


@dataclass(frozen=True)
class Side:
    """One of the two versions, compiled as far as it can be."""

    c: Compilation

    @property
    def why_not(self) -> str:
        """Why it cannot be compared; "" if it can."""
        if self.c.failure is not None:
            return self.c.failure.message
        return "" if self.c.captured is not None else "it was not captured"

    @property
    def captured(self) -> Captured:
        assert self.c.captured is not None
        return self.c.captured

    @cached_property
    def given(self) -> int:
        """The number of tensors that its call is given."""
        program = self.c.program
        return len(tensors(program.framework, program.args, program.kwargs))

    @property
    def native(self) -> Runnable:
        """The program as its framework runs it."""
        return eager(self.captured, self.c.program.framework, self.c.memory)

    @property
    def compiled(self) -> Mapping[str, Runnable]:
        """The program as compiled by each compiler that the run requested."""
        others = {n: r for n, r in self.c.runnables.items() if n in _OTHERS}
        is_there = self.c.executable is not None and "core" in requested(self.c)
        return ({"core": own_version(self.c)} if is_there else {}) | others

    @property
    def counts(self) -> report.TrialCounts:
        """Counts of the core's version; the defaults if it was not captured."""
        if self.c.captured is None:
            return report.TrialCounts()
        plans = [part.running.plan for part in self.c.parts]
        kernels = [len(list(plan.walk())) for plan in plans if plan is not None]
        return report.TrialCounts(
            len(self.captured.graphs),
            len(self.captured.graph_breaks),
            sum(kernels) if len(kernels) == len(plans) else None,
            compile_ms=costs_of(self.c).total_ms,
        )

    @contextmanager
    def at_home(self) -> Iterator[None]:
        """Context in which its snippet is `__main__`, and whatever it prints is discarded."""
        emit, self.c.emit = self.c.emit, lambda event: None
        try:
            with as_main(self.c.program.module), suppress():
                yield
        finally:
            self.c.emit = emit


def other_results(before: Side, after: Side, clock: Clock) -> str:
    """How the results differ; "" if they agree up to rounding, each compared with float64 like
    those of compilers. Raises TooLong if a set of inputs is left when the clock ends."""
    comparison = Comparison(before, after)
    if comparison.why_not:
        return comparison.why_not
    base, found = comparison.reference, list[Mapping[str, report.Numerics]]()
    with before.at_home(), after.at_home():
        # With one seed if random numbers are drawn: different ones would hide any difference.
        check = run.check_seeded if comparison.is_random else run.check
        for x in comparison.sets:
            clock()
            found.append(check(comparison.checked(), base, x))
    wrong = [n for checked in found for n in checked.values() if not n.ok]
    return (wrong[0].error or "their error is too large") if wrong else ""


class Comparison:
    """The comparison of two sides. Both are called on the inputs of `base`: the snippet's own
    program, or the changed one if only that was captured."""

    def __init__(self, before: Side, after: Side) -> None:
        self.before, self.after = before, after
        self.base = before if before.c.captured is not None else after

    @property
    def why_not(self) -> str:
        """Why results cannot be compared; "" if they can."""
        if self.before.given != self.after.given:
            return "the changed program is given other tensors"
        return ""

    @property
    def is_random(self) -> bool:
        """Whether one of the two draws random numbers."""
        sides = (self.before, self.after)
        return any(is_random(s.captured) for s in sides if s.c.captured is not None)

    @property
    def reference(self) -> Captured:
        """The base, with only its results, in float64."""
        captured, count = self.base.captured, len(self._returned())
        return replace(captured, exact=lambda flat: captured.exact(flat)[:count])

    def _returned(self) -> list[torch.Tensor]:
        with self.base.at_home():
            return results(self.base.captured, self.base.native).run(self.base.captured.arguments)

    def checked(self) -> dict[str, Runnable]:
        """The program as its framework runs it, and the changed one by each compiler."""
        found = {
            "eager": self._before_eager,
            "changed": self._on_base(self.after, self.after.native),
        }
        found |= {n: self._on_base(self.after, r) for n, r in self.after.compiled.items()}
        return found

    @property
    def _before_eager(self) -> Runnable:
        if self.base is self.before:
            captured = self.before.captured
            return given_anew(captured, results(captured, self.before.native))
        return self._uncompiled()

    def _uncompiled(self) -> Runnable:
        """A program that cannot be captured, as its framework runs it: with the arguments that are
        static to the changed one as they are there, and numbers that it gives as the arrays that
        jax.jit makes of them."""
        program, memory = self.before.c.program, self.before.c.memory
        fn = program.fn
        if program.framework == "jax":
            from compiler_core.capture.jax.statics import Statics

            fn = _in_arrays(Statics(replace(self.base.c.program, fn=fn)))
        captured = self.base.captured
        return given_anew(captured, natively(captured, fn, program.framework, memory))

    def _on_base(self, side: Side, runnable: Runnable) -> Runnable:
        """`runnable` with its side's own parameters after the base's arguments."""
        own = given_anew(side.captured, results(side.captured, runnable))
        if side is self.base:
            return own
        more, count = list(side.captured.arguments[side.given :]), side.given

        def completed(flat: Tensors) -> list[Any]:
            return [*flat[:count], *more]

        anew = own.anew
        return replace(
            own,
            prepare=lambda flat: own.prepare(completed(flat)),
            anew=None if anew is None else lambda flat: anew(completed(flat)),
        )

    def pairs(self) -> dict[str, tuple[Runnable, Runnable]]:
        """Before and after, by each compiler; a program that was not compiled is run by its
        framework."""
        after = {n: self._on_base(self.after, r) for n, r in self.after.compiled.items()}
        if self.base is not self.before or not self.before.compiled:
            return {name: (self._before_eager, x) for name, x in after.items()}
        before = {n: self._on_base(self.before, r) for n, r in self.before.compiled.items()}
        return {name: (before[name], after[name]) for name in before if name in after}

    @property
    def sets(self) -> list[Tensors]:
        """The snippet's own inputs and a fresh set, both for checking and for timing: where Python
        decides by a number of the inputs, TorchDynamo compiles for each number that it meets."""
        return [self.base.captured.arguments, self.base.captured.fresh(_SEED)]

    def times(self, clock: Clock) -> list[report.TrialTime]:
        """The times by each compiler, the core's first, under the lease of the device. Raises
        MeasureError, and TooLong if a round is left when the clock ends."""
        c = self.before.c
        pairs = self.pairs()
        named = {_key(n, at): pair[at] for n, pair in pairs.items() for at in (0, 1)}
        if not named:
            return []
        with c.lease(c.device) as rest, self.before.at_home(), self.after.at_home():

            def taken() -> Samples:
                return sample(
                    named, self.sets, budget_s=BUDGET_S, progress=lambda _: clock(), rest=rest
                )

            return confirmed(pairs, taken)


def confirmed(names: Iterable[str], taken: Callable[[], Samples]) -> list[report.TrialTime]:
    """The times before and after by each compiler. What would be told as a gain or a loss is
    sampled once more: one remedy in twenty that changes nothing is found to, by chance, and on a
    busy machine as a gain of any size."""
    first = taken()
    found = [_of(name, first) for name in names]
    if all(time.verdict == _NOISE for time in found):
        return found
    second = taken()
    return [_agreed(time, _of(time.compiler, second), _of(time.compiler, first, second))
            for time in found]  # fmt: skip


def _of(name: str, *taken: Samples) -> report.TrialTime:
    """The times by one compiler, of samples taken at several times."""
    before, after = ([ns for x in taken for ns in x.ns[_key(name, at)]] for at in (0, 1))
    return time_of(name, before, after, blocks=_one_after_another(taken))


def _one_after_another(taken: Sequence[Samples]) -> list[int]:
    """The blocks of all, none of two samplings the same."""
    return [BLOCKS * at + block for at, each in enumerate(taken) for block in each.blocks]


def _agreed(
    first: report.TrialTime, second: report.TrialTime, both: report.TrialTime
) -> report.TrialTime:
    """`both`, in an interval that has 1 in it where the two do not say the same."""
    if first.verdict == second.verdict == both.verdict:
        return both
    every = (first, second, both)
    low, high = min(x.speedup_low for x in every), max(x.speedup_high for x in every)
    return structs.replace(
        both, speedup_low=min(low, 1.0), speedup_high=max(high, 1.0), verdict=_NOISE
    )


def _key(name: str, at: int) -> str:
    return f"{name} {'after' if at else 'before'}"


def time_of(
    compiler: str,
    before_ns: Sequence[float],
    after_ns: Sequence[float],
    *,
    blocks: Sequence[int] = (),
    first: bool = False,
) -> report.TrialTime:
    """The statistics of two interleaved series of samples, in nanoseconds."""
    before, after = ([ns / 1e3 for ns in each] for each in (before_ns, after_ns))
    speedup, was, now = repeated(ratio(before, after, blocks)), spread(before), spread(after)
    return report.TrialTime(
        compiler, was.median, was.p25, was.p75, now.median, now.p25, now.p75,
        speedup.value, speedup.low, speedup.high,
        verdict(speedup), len(before), first,
    )  # fmt: skip


def _in_arrays(fn: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    return lambda *args, **kwargs: jax.tree.map(jax.numpy.asarray, fn(*args, **kwargs))
