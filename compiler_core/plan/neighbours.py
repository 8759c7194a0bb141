"""Which steps write and read the buffers between a plan's steps, by the kind of step."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from compiler_core.plan.steps import Step
from compiler_core.report.reasons import Reason

S = TypeVar("S")


class Neighbours:
    """The writer and the readers of each buffer. Questions name the kind of step that is looked
    for; steps of other kinds are left out of the answers."""

    def __init__(self, steps: Sequence[Step], outputs: Sequence[str]) -> None:
        self.steps, self.outputs = steps, outputs
        self.order = {s.name: i for i, s in enumerate(steps)}
        self._writers = {b.name: s for s in steps for b in s.outputs}
        self._readers = _readers(steps)

    def all_of(self, kind: type[S]) -> list[S]:
        """The steps of a kind, in order."""
        return _of_kind(self.steps, kind)

    def writer(self, buffer: str, kind: type[S]) -> S | None:
        """The step that writes a buffer; None if it is of another kind, or there is none."""
        writer = self._writers.get(buffer)
        return writer if isinstance(writer, kind) else None

    def readers(self, buffer: str, kind: type[S]) -> list[S]:
        """The steps of a kind that read a buffer; a step of which it is several operands occurs as
        often."""
        return _of_kind(self._readers.get(buffer, ()), kind)

    def only_reader(self, buffer: str, kind: type[S]) -> S | None:
        """The step of a kind of which the buffer is exactly one operand, if no other step reads it
        and it is not returned; else None."""
        found = self.readers(buffer, kind)
        return found[0] if found and self.is_operand(buffer) else None

    def is_operand(self, buffer: str) -> bool:
        """Whether the buffer is read once, as one operand of one step, and is not returned."""
        return len(self._readers.get(buffer, ())) == 1 and buffer not in self.outputs

    def edge(self, buffer: str, writes: Collection[str]) -> tuple[Step, Step] | None:
        """(producer, consumer): the step that writes `buffer`, and the one of its readers that
        writes one of `writes`; None if there is no such pair."""
        first, readers = self._writers.get(buffer), self._readers.get(buffer, ())
        last = next((r for r in readers if any(b.name in writes for b in r.outputs)), None)
        return (first, last) if first and last else None

    def kept_in_memory(self, buffer: str) -> Reason | None:
        """Why the buffer must be in memory: it is returned, or not the operand of one step alone.
        None if it need not be."""
        readers = [s.name for s in self._readers.get(buffer, ())]
        if buffer in self.outputs:
            why = f"{buffer} between them is a result of the program, so it must be in memory"
            return Reason("result", why)
        if len(set(readers)) > 1:
            both = " and ".join(dict.fromkeys(readers))
            why = f"{buffer} between them is read by {both}, so it must be in memory"
            return Reason("several readers", why)
        if len(readers) > 1:
            why = f"{buffer} is two operands of {readers[0]}, so it must be in memory"
            return Reason("two operands", why)
        return None

    def is_read(self, buffer: str) -> bool:
        """Whether a step reads a buffer."""
        return buffer in self._readers

    def read_only_by(self, buffer: str, names: Iterable[str]) -> bool:
        """Whether no other steps than these read a buffer, and it is not returned."""
        readers = {s.name for s in self._readers.get(buffer, ())}
        return readers <= set(names) and buffer not in self.outputs


def _readers(steps: Sequence[Step]) -> Mapping[str, Sequence[Step]]:
    found: dict[str, list[Step]] = {}
    for step in steps:
        for b in step.inputs:
            found.setdefault(b.name, []).append(step)
    return found


def _of_kind(steps: Iterable[Step], kind: type[S]) -> list[S]:
    return [step for step in steps if isinstance(step, kind)]
