"""A program compiled by a compiler in another process: its inputs, calls and outputs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from compiler_core.errors import MeasureError
from compiler_core.extras.inside import serve
from compiler_core.extras.session import Session


class Outputs(NamedTuple):
    """The outputs of call number `call`; they stay in the other process until they are fetched."""

    call: int


class Remote:
    """A compiled program in another process. Inputs are sent before calls and outputs are fetched
    afterwards, so that a call itself is one line of JSON each way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls = 0

    def load(self, arrays: Sequence[np.ndarray[Any, Any]]) -> int:
        """Sends one set of inputs, in the order of the program's parameters; returns its number.
        Raises ToolchainError as Session.ask does, as all methods do."""
        file = self.session.new_file("inputs.npz")
        serve.write(str(file), list(arrays))
        number: int = self.session.ask("load", file=str(file))
        file.unlink()
        return number

    def call(self, inputs: int) -> Outputs:
        """Calls the program with one set of inputs, by its number."""
        return self.timed([inputs])[1]

    def timed(self, sets: Sequence[int]) -> tuple[int, Outputs]:
        """Calls the program once for each set; returns the nanoseconds that all calls took by the
        other process's clock, and the outputs of the last call."""
        spent = self.session.ask("call", sets=list(sets))
        self._calls += 1
        return spent, Outputs(self._calls)

    def fetch(self, outputs: Outputs) -> list[np.ndarray[Any, Any]]:
        """The outputs as arrays. Raises MeasureError unless they are those of the last call."""
        if outputs.call != self._calls:
            raise MeasureError("these outputs have been replaced by those of a later call")
        file = self.session.new_file("outputs.npz")
        self.session.ask("save", file=str(file))
        found = serve.read(str(file))
        file.unlink()
        return found
