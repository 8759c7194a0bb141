"""Small launches that are independent of each other run side by side: each thread calls some of
them, and the threads are synchronised once for all (docs/decisions/0115).

A step of an optimizer updates each parameter by a launch of its own, which takes about as long as
starting the threads. Launches that depend on each other through a buffer are called by one thread,
in the order of the plan.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from compiler_core.kernel.kernel import Kernel
from compiler_core.plan.cpu.loops import kernel_of
from compiler_core.plan.plan import Launch
from compiler_core.plan.shown import against
from compiler_core.plan.side import Side
from compiler_core.plan.within import scope_of
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.cpu.model import cpu_us, side_by_side_us
from compiler_core.schedule.cpu.schedule import CpuSchedule
from compiler_core.schedule.targets import CpuTarget
from compiler_core.steering import current
from compiler_core.wording import counted

# A launch that takes at least so many times the threads' synchronisation is shared among them as
# usual.
_LARGE = 16
# The least saving, as a multiple of waking threads: no model knows whether they are awake.
_LEAST_SAVED = 2
_STRATEGIES = frozenset({"flat", "rows", "columns"})
# A cost of waking threads at which every kernel is run by one thread.
_NEVER_US = 1e9


def side_by_side(
    launches: Sequence[Launch], over: Mapping[str, str], target: CpuTarget
) -> tuple[Launch, ...]:
    """`launches`, with those marked that threads call side by side, each by one thread. `over` maps
    outputs to the inputs whose memory they lie in."""
    if target.in_loop or target.figures.cores < 2:
        return tuple(launches)
    found = list[Launch]()
    for small, run in groupby(launches, lambda x: _is_small(x, target)):
        own = tuple(run)
        found += _Run(own, over, target).arranged(len(found)) if small else own
    return tuple(found)


def _is_small(launch: Launch, target: CpuTarget) -> bool:
    schedule = launch.schedule
    return (
        isinstance(schedule, CpuSchedule)
        and schedule.strategy in _STRATEGIES
        and not (schedule.streamed or schedule.online or launch.decisions)
        and not launch.step.symbols
        and launch.cost_us <= _LARGE * target.waking_us
        and _is_free(launch)
    )


def _is_free(launch: Launch) -> bool:
    """Whether nobody but the compiler decides how it is run."""
    beside = Option(Candidate(launch.schedule.strategy, "", 0.0), launch.schedule)
    possible = (x.cost_us is not None for x in launch.candidates)
    results = (launch.schedule if able else None for able in possible)
    listed = [*map(Option, launch.candidates, results), beside]
    picked = current().picks(scope_of(launch.step), listed)
    return picked is None or picked is beside


@dataclass(frozen=True)
class _Alone:
    """A launch as one thread runs it."""

    launch: Launch
    kernel: Kernel
    schedule: CpuSchedule
    us: float


@dataclass(frozen=True)
class _Run:
    """Small launches that follow each other."""

    launches: tuple[Launch, ...]
    over: Mapping[str, str]
    target: CpuTarget

    def arranged(self, group: int) -> Sequence[Launch]:
        """The launches as the group of that number, or as they are."""
        chains = _chains(self.launches, self.over)
        if len(chains) < 2:
            return self.launches
        alone = [_alone(x, self.target) for x in self.launches]
        known = [x for x in alone if x is not None]
        if len(known) < len(alone):
            return self.launches
        parts = _parts([[known[n] for n in chain] for chain in chains], self.target.figures.cores)
        us = side_by_side_us([[(x.kernel, x.schedule) for x in p] for p in parts], self.target)
        before = sum(x.cost_us for x in self.launches)
        if before - us < _LEAST_SAVED * self.target.waking_us:
            return self.launches
        return self._marked(parts, group, us / sum(x.us for x in known))

    def _marked(
        self, parts: Sequence[Sequence[_Alone]], group: int, share: float
    ) -> tuple[Launch, ...]:
        many = counted(len(self.launches) - 1, "other")
        sides = {
            id(x.launch): _beside(x, Side(group, part), x.us * share, many)
            for part, own in enumerate(parts)
            for x in own
        }
        return tuple(sides[id(x)] for x in self.launches)


def _alone(launch: Launch, target: CpuTarget) -> _Alone | None:
    kernel, schedule = kernel_of(launch)
    if schedule.threads:
        schedule, _ = choose_cpu(kernel, replace(target, waking_us=_NEVER_US))
    if schedule.threads or schedule.online or schedule.streamed:
        return None
    return _Alone(launch, kernel, schedule, cpu_us(kernel, schedule, target))


def _beside(x: _Alone, side: Side, us: float, many: str) -> Launch:
    reason = f"{x.schedule.reason}, by one thread, side by side with {many}"
    schedule = replace(x.schedule, reason=reason)
    chosen = Candidate(schedule.strategy, reason, us, schedule.parameters, chosen=True)
    left = (against(replace(c, chosen=False), chosen) if c.chosen else c
            for c in x.launch.candidates)  # fmt: skip
    return replace(x.launch, schedule=schedule, candidates=(*left, chosen), cost_us=us, side=side)


# -- which go together


def _chains(launches: Sequence[Launch], over: Mapping[str, str]) -> list[list[int]]:
    """The launches by number, those together of which one writes what another reads or writes."""
    chain_of: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    readers: dict[str, set[int]] = {}
    writers: dict[str, set[int]] = {}
    for number, launch in enumerate(launches):
        reads = {over.get(b.name, b.name) for b in launch.step.inputs}
        writes = {over.get(b.name, b.name) for b in launch.step.outputs}
        met = {n for name in reads | writes for n in writers.get(name, ())}
        met |= {n for name in writes for n in readers.get(name, ())}
        joined = sorted({m for c in {chain_of[n] for n in met} for m in members.pop(c)})
        members[number] = [*joined, number]
        chain_of |= dict.fromkeys(members[number], number)
        for names, of in ((reads, readers), (writes, writers)):
            for name in names:
                of.setdefault(name, set()).add(number)
    return list(members.values())


def _parts(chains: Sequence[Sequence[_Alone]], count: int) -> list[list[_Alone]]:
    """The chains in at most `count` parts: the longest first, each to the part that has least."""
    parts: list[list[_Alone]] = [[] for _ in range(min(count, len(chains)))]
    for chain in sorted(chains, key=_us, reverse=True):
        min(parts, key=_us).extend(chain)
    return parts


def _us(launches: Sequence[_Alone]) -> float:
    return sum(x.us for x in launches)
