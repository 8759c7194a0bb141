"""Runs that were taken and could not be begun, for the compiler was gone."""

from collections import Counter

from webapp.runs.models import Run
from worker.sandbox.server import ATTEMPTS


class Unbegun:
    """How often each was given back."""

    def __init__(self) -> None:
        self._times = Counter[str]()

    def may_wait_again(self, run: Run) -> bool:
        """Whether the run goes back to the queue once more. One that names a toolchain waits at its
        place for the server of that, and has none to come where it is told so."""
        self._times[run.pk] += 1
        if not run.options.get("toolchain") and self._times[run.pk] < ATTEMPTS:
            return True
        del self._times[run.pk]
        return False
