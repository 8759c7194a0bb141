"""Which values of a graph the launches of its plan leave in memory, and from which others."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from compiler_core.ir.graph import Region, Value
from compiler_core.plan.plan import Plan


@dataclass(frozen=True)
class Written:
    """A value of the graph that is in `buffer` once the launch `kernel` has run. `reads` are the
    values in memory from which it was computed, also those read by earlier launches whose results
    are no values of the graph, such as the parts of a sum."""

    kernel: str
    buffer: str
    value: Value
    reads: tuple[Value, ...]


def written(plan: Plan, graph: Region, names: Mapping[Value, str]) -> list[Written]:
    """All values that launches leave in memory whole, in the order of the launches; `names` are the
    buffers of the graph's values. If values share memory (a scatter modifies its operand), it is
    the last one."""
    return list(_Reader(plan, graph, names).all())


class _Reader:
    def __init__(self, plan: Plan, graph: Region, names: Mapping[Value, str]) -> None:
        self.plan = plan
        found = {names[v]: v for v in graph.values if v in names}
        self.values = {name: v for name, v in found.items() if self._has(name, v)}
        # The launches that write to each buffer, in order.
        self.writers: dict[str, list[int]] = {}
        for number, step in enumerate(plan.steps):
            for buffer in step.outputs:
                self.writers.setdefault(buffer.name, []).append(number)

    def _has(self, name: str, value: Value) -> bool:
        """Whether the buffer has the elements of the value."""
        type_ = self.plan.buffers.get(name)
        return (
            type_ is not None
            and type_.dtype is value.type.dtype
            and type_.elements == value.type.elements
        )

    def all(self) -> Iterator[Written]:
        for number, step in enumerate(self.plan.steps):
            for buffer in () if step.partial else step.outputs:
                value = self.values.get(buffer.name)
                if value is not None and self.writers[buffer.name][-1] == number:
                    reads = self._reads(buffer.name)
                    yield Written(step.name, buffer.name, value, tuple(reads))

    def _reads(self, name: str) -> Iterable[Value]:
        """The values in memory that the launches which write `name` read, and those which write
        what is of no value."""
        found, waiting, seen = dict[Value, None](), [name], {name}
        while waiting:
            steps = (self.plan.steps[n] for n in self.writers.get(waiting.pop(), ()))
            for other in (b.name for step in steps for b in step.inputs):
                if other in seen:
                    continue
                seen.add(other)
                value = self.values.get(other)
                if value is None:
                    waiting.append(other)
                else:
                    found[value] = None
        return found
