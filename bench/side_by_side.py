"""Warm processes, each of which compiles a snippet of a batch; they are measured in turns."""

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from bench.warm import Asked, Warm
from compiler_core import report

T = TypeVar("T")


@dataclass(frozen=True)
class SideBySide:
    """As many processes as snippets are asked for at a time."""

    processes: tuple[Warm, ...]

    @classmethod
    def of(cls, count: int) -> "SideBySide":
        return cls(tuple(Warm() for _ in range(count)))

    def measure(self, batch: Sequence[Asked]) -> list[report.Report | None]:
        """The reports in the batch's order, None where a process ended without one. Of one
        snippet, nothing else runs at any time; of more, times of compiling are disturbed by the
        others', and those of calls are not."""
        if len(batch) == 1:
            return [self.processes[0].measure(batch[0])]
        with tempfile.NamedTemporaryFile() as turns, ThreadPoolExecutor(len(batch)) as pool:
            taking = [replace(asked, turns=turns.name) for asked in batch]
            return list(pool.map(Warm.measure, self.processes, taking))

    def close(self) -> None:
        for process in self.processes:
            process.close()


def batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """`items` in rows of `size`; the last may be shorter."""
    return [items[at : at + size] for at in range(0, len(items), size)]
