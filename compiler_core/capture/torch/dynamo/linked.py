"""What runs each graph of a program of several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compiler_core.capture.captured import Late
from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.dynamo.lowered import Lowered
from compiler_core.capture.torch.dynamo.pieces import Executable, Piece


@dataclass
class Linked:
    """A callable for each graph; `late` compiles a graph that is first met in a later run."""

    late: Late
    _runs: dict[Piece, aot.Boxed] = field(default_factory=dict)

    @classmethod
    def of_all(
        cls, lowered: Iterable[Lowered], executables: Sequence[Executable], late: Late
    ) -> "Linked":
        """The Linked for known graphs and their executables, in the same order."""
        linked = cls(late)
        for each, executable in zip(lowered, executables, strict=True):
            linked._use(each, executable)
        return linked

    def of(self, lowered: Lowered) -> aot.Boxed:
        """The callable that runs a graph, compiled by `late` if it is not known."""
        if lowered.piece not in self._runs:
            self._use(lowered, self.late(lowered.graph))
        return self._runs[lowered.piece]

    def _use(self, lowered: Lowered, executable: Executable) -> None:
        self._runs[lowered.piece] = lowered.runner(executable)
