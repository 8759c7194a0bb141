"""The candidates for sorting rows on a CPU: one table row each, with why it refuses and what it
costs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from compiler_core.ir.sizes import hint
from compiler_core.ir.types import U8, TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.library import sort_by_library
from compiler_core.plan.plan import Launch
from compiler_core.plan.sort import Sort
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.cpu import sort
from compiler_core.schedule.cpu.sort import CpuSort
from compiler_core.schedule.targets import CpuTarget

# Microseconds to call the framework.
_CALL_US = 10.0
# A word has 32 bits for a position.
_LONGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Way:
    """`refuses` says why rows cannot be sorted this way, "" if they can; `row_ns` is the time for
    one row on one core, in nanoseconds; `together` rows are sorted at once. `block` and `words` are
    the schedule's."""

    name: str
    title: str
    refuses: Callable[[Sort], str]
    row_ns: Callable[[Sort], float]
    together: int = 1
    block: int = 0
    words: Callable[[Sort], int] = lambda step: 0

    def option(self, step: Sort, target: CpuTarget) -> Option[Launch]:
        refusal = self.refuses(step)
        if refusal:
            return Option(Candidate(self.name, refusal))
        units = -(-hint(step.rows) // self.together)
        alone_us = units * self.together * self.row_ns(step) / 1e3
        shared_us = alone_us / min(max(1, units), target.figures.cores) + target.waking_us
        threads = shared_us < alone_us
        pieces = _pieces(step) if threads else 1
        words = self.words(step)
        schedule = CpuSort(self.name, threads, self.title, pieces, self.block, words)
        launch = Launch(_with_workspace(step, schedule), schedule)
        return Option(
            Candidate(self.name, self.title, min(alone_us, shared_us), schedule.parameters), launch
        )


def on_cpu(step: Sort, target: CpuTarget) -> list[Option[Launch]]:
    """Every candidate with its modelled cost in microseconds, or the reason against it."""
    return [*(way.option(step, target) for way in _CPU), _library(step, target)]


def _pieces(step: Sort) -> int:
    return max(1, min(hint(step.rows), sort.MOST_PIECES, sort.RADIX_BYTES // _row_bytes(step)))


def _row_bytes(step: Sort) -> int:
    return 2 * 8 * step.length


def _with_workspace(step: Sort, schedule: CpuSort) -> Sort:
    if schedule.strategy != "radix":
        return step
    size = TensorType(U8, (schedule.pieces * _row_bytes(step),))
    return replace(step, workspace=BufferParam(f"{step.name}_words", size, "out"))


def _network_refuses(step: Sort) -> str:
    if step.length > sort.LONGEST_NETWORK:
        return (
            f"rows of more than {sort.LONGEST_NETWORK} elements do not fit the stack of the network"
        )
    return ""


def _radix_refuses(step: Sort) -> str:
    return (
        f"an index has 31 bits, too few for {step.length} elements"
        if step.length > _LONGEST
        else ""
    )


def _selection_refuses(step: Sort) -> str:
    if step.kept == step.length:
        return "every element of a row is kept, so there is none to leave out"
    if step.kept > sort.MOST_SELECTED:
        return f"{step.kept} elements are kept, and a selection keeps at most {sort.MOST_SELECTED}"
    if len(step.rounds) > 1:
        return "the keys have more than 32 bits, which takes several rounds"
    return _radix_refuses(step)


def _collection_refuses(step: Sort) -> str:
    if step.kept > sort.MOST_COLLECTED:
        return (
            f"{step.kept} elements are kept, and a collection keeps at most {sort.MOST_COLLECTED}"
        )
    if step.length < 2 * sort.collected(step.kept):
        return f"rows of {step.length} elements are short beside the {step.kept} that are kept"
    if len(step.rounds) > 1:
        return "the keys have more than 32 bits, which takes several rounds"
    return _radix_refuses(step)


_CPU = (
    _Way(
        "network",
        f"a merging network, {sort.LANES} rows at a time in the lanes of vectors",
        _network_refuses,
        lambda step: sort.network_ns(step.length, len(step.rounds)),
        sort.LANES,
    ),
    _Way(
        "radix",
        f"a radix sort of each row, {sort.DIGIT_BITS} bits at a time",
        _radix_refuses,
        lambda step: sort.radix_ns(step.length, [r.key.type.dtype for r in step.rounds]),
    ),
    _Way(
        "selection",
        "the first so far are kept in order, and vectors without a better one passed over",
        _selection_refuses,
        lambda step: sort.selection_ns(step.length, step.kept),
        block=sort.SELECTED_BLOCK,
    ),
    _Way(
        "collection",
        "what comes before the last of the first so far is collected, and ordered when it is much",
        _collection_refuses,
        lambda step: sort.collection_ns(step.length, step.kept, step.keys[0].type.dtype),
        block=sort.SELECTED_BLOCK,
        words=lambda step: sort.collected(step.kept),
    ),
)


# The strategies that generated C runs.
IN_C = frozenset(way.name for way in _CPU)


def _library(step: Sort, target: CpuTarget) -> Option[Launch]:
    """torch's stable sort; torch.topk does not specify which of equal elements it takes."""
    row_us = sort.library_ns(step.length, len(step.keys)) / 1e3
    rows = hint(step.rows)
    cost_us = rows * row_us / min(max(1, rows), target.figures.cores) + _CALL_US
    return Option(
        Candidate("library", "torch.sort", cost_us), sort_by_library(step, "torch is faster")
    )
