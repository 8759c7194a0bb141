"""How long Python runs before the first graph of a call and after each graph, in calls for which
nothing is compiled."""

import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# The most calls that are measured, or as many as take so many seconds, after a first one that is
# not.
_MOST = 7
_SECONDS = 0.25
# The id that stands for the time before the first graph.
BEGIN = ""


@dataclass
class Gaps:
    """Records, while `is_on`, which graphs run, by id, and the time between them."""

    is_on: bool = False
    # Whether something was compiled meanwhile.
    is_cold: bool = False
    _last: tuple[str, int] | None = None
    _gaps: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def around(self, id_: str, run: Callable[..., Any]) -> Callable[..., Any]:
        """A function that runs the graph `run` and records it."""

        def recorded(*given: Any) -> Any:
            if not self.is_on:
                return run(*given)
            self._close()
            results = run(*given)
            self._last = id_, time.perf_counter_ns()
            return results

        return recorded

    def of(
        self, call: Callable[[Callable[..., Any]], Any], fn: Callable[..., Any]
    ) -> dict[str, float]:
        """Median microseconds by graph id: from the end of the graph to the beginning of the next
        one or to the end of the call; for BEGIN, from the beginning of the call to the first graph.
        Empty if something was compiled meanwhile. `call` is given a function to call, `fn` with
        recording around it."""
        found, ends = list[dict[str, int]](), time.monotonic() + _SECONDS
        while len(found) <= _MOST and (len(found) < 2 or time.monotonic() < ends):
            found.append(self._once(call, fn))
        warm = found[1:]
        medians = {i: statistics.median(gaps.get(i, 0) for gaps in warm) / 1e3 for i in warm[0]}
        return {} if self.is_cold else medians

    def _once(
        self, call: Callable[[Callable[..., Any]], Any], fn: Callable[..., Any]
    ) -> dict[str, int]:
        self._gaps.clear()

        def recorded(*args: Any, **kwargs: Any) -> Any:
            self.is_on = True
            self._last = BEGIN, time.perf_counter_ns()
            try:
                return fn(*args, **kwargs)
            finally:
                self._close()
                self.is_on = False

        call(recorded)
        return dict(self._gaps)

    def _close(self) -> None:
        if self._last is not None:
            id_, ended = self._last
            self._gaps[id_] += time.perf_counter_ns() - ended
        self._last = None
