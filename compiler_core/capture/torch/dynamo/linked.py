"""Who runs the graphs of a program of several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compiler_core.capture.captured import Late
from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.dynamo.lowered import Lowered
from compiler_core.capture.torch.dynamo.pieces import Executable, Piece


@dataclass
class Linked:
    """What runs each graph; `late` compiles one that is met later."""

    late: Late
    _runs: dict[Piece, aot.Boxed] = field(default_factory=dict)

    @classmethod
    def of_all(
        cls, lowered: Iterable[Lowered], executables: Sequence[Executable], late: Late
    ) -> "Linked":
        """With the executables of the graphs that are known."""
        linked = cls(late)
        for each, executable in zip(lowered, executables, strict=True):
            linked._use(each, executable)
        return linked

    def of(self, lowered: Lowered) -> aot.Boxed:
        """What runs a graph."""
        if lowered.piece not in self._runs:
            self._use(lowered, self.late(lowered.graph))
        return self._runs[lowered.piece]

    def _use(self, lowered: Lowered, executable: Executable) -> None:
        self._runs[lowered.piece] = lowered.runner(executable)
