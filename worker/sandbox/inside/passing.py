"""Processes that end before it is read what they hold, for they hand it on to others: one that
shares its memory with a child and ends does so thousands of times a second."""

from collections.abc import Sequence

from worker.sandbox.inside import processes

# The looks in a row since each of which somebody ended. Compilers too are made of processes that
# end soon.
_MOST_LOOKS = 3


class Passing:
    """Of one run. `isolate`: its processes are all of a PID namespace, and can be stopped at once:
    without one nobody could count what passes from one to the other."""

    def __init__(self, isolate: bool) -> None:
        self._isolate, self._looks = isolate, 0
        self._over = set[int]()

    def hides(self, running: Sequence[int]) -> bool:
        """Whether some of `running` have ended since they were listed or just before, as at the
        looks before this one: what they held is to be counted while all stand still."""
        if not self._isolate:
            return False
        before, self._over = self._over, {*filter(processes.is_over, running)}
        self._looks = self._looks + 1 if self._over - before else 0
        return self._looks >= _MOST_LOOKS
