"""How each launch of a plan is scheduled, and what else was considered."""

import msgspec
from msgspec import field


class Schedule(msgspec.Struct, frozen=True):
    """How a launch walks over its data, and why so."""

    # "one block a row", "tiled matmul", "the vendor's library", ...
    strategy: str
    # Block sizes, warps, stages, threads, vector lengths: by the names that the code uses.
    parameters: dict[str, int | str] = field(default_factory=dict)
    reason: str = ""


class ScheduleCandidate(msgspec.Struct, frozen=True):
    """A schedule that was considered for a launch, with the model's cost of it."""

    strategy: str
    parameters: dict[str, int | str] = field(default_factory=dict)
    # The cost model's estimate in microseconds; null where the model did not get so far.
    cost_us: float | None = None
    chosen: bool = False
    # Why it was chosen or left: "fits in 48 KiB of shared memory", "4.2 us slower".
    reason: str = ""
