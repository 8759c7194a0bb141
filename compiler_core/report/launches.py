"""The schedule of a launch, and the candidates that were considered for it."""

import msgspec
from msgspec import field


class Schedule(msgspec.Struct, frozen=True):
    """The strategy by which a launch covers its iteration space, and why it was chosen."""

    # "one block a row", "tiled matmul", "the vendor's library", ...
    strategy: str
    # Block sizes, warps, stages, threads, vector lengths, by their names in the generated code.
    parameters: dict[str, int | str] = field(default_factory=dict)
    reason: str = ""


class ScheduleCandidate(msgspec.Struct, frozen=True):
    """A schedule that was considered for a launch, with the cost model's estimate."""

    strategy: str
    parameters: dict[str, int | str] = field(default_factory=dict)
    # The cost model's estimate in microseconds; null if the candidate was rejected before it.
    cost_us: float | None = None
    chosen: bool = False
    # Why it was chosen or left: "fits in 48 KiB of shared memory", "4.2 us slower".
    reason: str = ""
    # What it is called among the launch's candidates, as overrides name it: "rows.2" is the second
    # of that strategy.
    name: str = ""
    # Which of its parameters may be set by hand, each to one of these values.
    free: dict[str, list[int | str]] = field(default_factory=dict)
    # What overrides call the value that it computes, where that is not what the launch writes: a
    # product of a matrix and a vector that was decided before fusion to be a sum, or to be none.
    of: str = ""
