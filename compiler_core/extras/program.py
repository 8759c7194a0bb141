"""A program compiled by a compiler in another process: its inputs, calls and outputs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from compiler_core.errors import MeasureError
from compiler_core.extras.inside import serve
from compiler_core.extras.session import Session


class Outputs(NamedTuple):
    """The outputs of the session's last call, by its number."""

    call: int


class Remote:
    """Inputs are sent before calls and outputs fetched afterwards, so that a call itself is one
    line of JSON each way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls = 0

    def load(self, arrays: Sequence[np.ndarray[Any, Any]]) -> int:
        """Sends a set of inputs; returns its number."""
        file = self.session.new_file("inputs.npz")
        serve.write(str(file), list(arrays))
        number: int = self.session.ask("load", file=str(file))
        file.unlink()
        return number

    def call(self, given: int) -> Outputs:
        """Calls the program with one set of inputs."""
        return self.timed([given])[1]

    def timed(self, sets: Sequence[int]) -> tuple[int, Outputs]:
        """Calls the program once for each set; returns the nanoseconds by the other process's
        clock, and the outputs of the last call."""
        spent = self.session.ask("call", sets=list(sets))
        self._calls += 1
        return spent, Outputs(self._calls)

    def fetch(self, outputs: Outputs) -> list[np.ndarray[Any, Any]]:
        """The outputs of the last call. Raises MeasureError for those of an earlier one."""
        if outputs.call != self._calls:
            raise MeasureError("these outputs have been replaced by those of a later call")
        file = self.session.new_file("outputs.npz")
        self.session.ask("save", file=str(file))
        found = serve.read(str(file))
        file.unlink()
        return found
