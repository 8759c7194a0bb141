"""The candidates for sorting rows on a GPU: one table row each, with why it refuses and what it
costs."""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.ir.sizes import hint
from compiler_core.plan.gpu.sort_passes import SortPass, passes, probes
from compiler_core.plan.library import sort_by_library
from compiler_core.plan.plan import Launch
from compiler_core.plan.sort import Sort
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.gpu import sort as gpu_sort
from compiler_core.schedule.gpu.sort import MERGE, GpuSort
from compiler_core.schedule.targets import GpuTarget

Launches = tuple[Launch, ...]
# Offsets are 32 bits.
_MOST_ELEMENTS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Way:
    """`refuses` says why rows cannot be ordered so, "" where they can."""

    name: str
    refuses: Callable[[Sort], str]
    schedule: Callable[[Sort], GpuSort]
    us: Callable[[Sort, GpuTarget], float]

    def option(self, step: Sort, target: GpuTarget) -> Option[Launches]:
        refusal = _too_large(step) or self.refuses(step)
        if refusal:
            return Option(Candidate(self.name, refusal))
        schedule = self.schedule(step)
        moving = sum(step.traffic()) / target.bandwidth * 1e6
        cost = max(moving, self.us(step, target)) + target.launch_us
        candidate = Candidate(self.name, schedule.reason, cost, schedule.parameters)
        return Option(candidate, (Launch(step, schedule),))


def on_gpu(step: Sort, target: GpuTarget) -> list[Option[Launches]]:
    """The ways to sort on a GPU, with the model's cost: those of ours, and the framework's."""
    own = [*(way.option(step, target) for way in _GPU), _merged(step, target)]
    last = own[-1].candidate
    why = last.reason if last.cost_us is None else "the framework's is faster"
    cost = gpu_sort.library_us(hint(step.rows) * step.length, len(step.keys))
    return [*own, Option(Candidate("library", "torch.sort", cost), (sort_by_library(step, why),))]


def _merged(step: Sort, target: GpuTarget) -> Option[Launches]:
    """Blocks sorted by themselves, and merged by further launches."""
    block, ways = gpu_sort.MERGE_BLOCK, gpu_sort.ways(step.kept)
    refusal = _too_large(step) or _merge_refuses(step, block)
    if refusal:
        return Option(Candidate(MERGE, refusal))
    launches = tuple(_pass(x, target) for x in passes(step, block, ways))
    most = f"runs merged {ways} at a time by {len(launches) - len(step.rounds)} more"
    reason = f"blocks of {block} sorted by {len(step.rounds)} of {len(launches)} launches, {most}"
    cost = sum(x.cost_us for x in launches)
    return Option(Candidate(MERGE, reason, cost, {"launches": len(launches)}), launches)


def _pass(x: SortPass, target: GpuTarget) -> Launch:
    rows, moving = x.sort.rows, sum(x.traffic()) / target.bandwidth * 1e6
    if x.words is None:
        schedule = gpu_sort.blocks(rows, x.runs.count, x.runs.span)
        us = gpu_sort.bitonic_us((hint(rows) * x.runs.count, x.runs.span), 1, target)
    else:
        own = x.before
        ways, words = min(x.ways, own.count), rows * (own.count * own.pitch)
        schedule = gpu_sort.merge(words, ways)
        us = gpu_sort.merge_us(hint(words), ways - 1, probes(own), target)
    return Launch(x, schedule, (), max(us, moving) + target.launch_us)


def _too_large(step: Sort) -> str:
    largest = max(b.type.at_hint().numel for b in (*step.inputs, *step.outputs))
    return "a buffer has 2^31 elements or more" if largest > _MOST_ELEMENTS else ""


def _bitonic_refuses(step: Sort) -> str:
    if step.length > gpu_sort.LONGEST_BITONIC:
        most = gpu_sort.LONGEST_BITONIC
        return f"{step.length} words are too many for a program's registers, which hold {most}"
    return ""


def _merge_refuses(step: Sort, block: int) -> str:
    if step.length <= block:
        return f"{step.length} words are no more than a program sorts in registers"
    longest = step.length + block
    if hint(step.rows) * longest > _MOST_ELEMENTS:
        return "words of all rows are 2^31 or more"
    return ""


def _selection_refuses(step: Sort) -> str:
    if step.kept == step.length:
        return "every element of a row is kept, so there is none to leave out"
    if step.kept > gpu_sort.MOST_SELECTED:
        return (
            f"{step.kept} elements are kept, and a selection keeps at most {gpu_sort.MOST_SELECTED}"
        )
    several = "the keys have more than 32 bits, which takes several rounds"
    return several if len(step.rounds) > 1 else ""


def _size(step: Sort) -> tuple[int, int]:
    """Rows, and elements of each."""
    return hint(step.rows), step.length


def _key_bits(step: Sort) -> int:
    return sum(max(32, key.type.dtype.bits) for key in step.keys)


_GPU = (
    _Way(
        "counting",
        lambda step: "",
        lambda step: gpu_sort.counting(step.rows, step.length, _key_bits(step)),
        lambda step, target: gpu_sort.counting_us(_size(step), len(step.keys), target),
    ),
    _Way(
        "selection",
        _selection_refuses,
        lambda step: gpu_sort.selection(step.rows, step.length, step.kept),
        lambda step, target: gpu_sort.selection_us(_size(step), step.kept, target),
    ),
    _Way(
        "bitonic",
        _bitonic_refuses,
        lambda step: gpu_sort.bitonic(step.rows, step.length),
        lambda step, target: gpu_sort.bitonic_us(_size(step), len(step.rounds), target),
    ),
)
# The strategies of a sort in one launch.
STRATEGIES = frozenset(way.name for way in _GPU)
