"""The modules that TorchInductor writes for a program that is timed, and the operations of their
lines. These are worked out after the timing; until then, the scheduler's nodes are kept."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from compiler_core import report
from compiler_core.reference.inductor import hooks, output_code
from compiler_core.reference.inductor.text_hooks import on_text
from compiler_core.reference.inductor.units import buffers_of, origins_in
from compiler_core.reference.origins import ids_of
from compiler_core.reference.result import artifact
from compiler_core.reference.source_lines import SourceLines

# The captured operations by place: of the backward pass if the argument is true, else of all
# others.
LinesOf = Callable[[bool], SourceLines]


@dataclass(frozen=True)
class Written:
    """A module's text, the scheduler that its kernels come from (None if none was recorded), and
    the scheduler's nodes in each kernel, by the kernel's name."""

    text: str
    backward: bool
    scheduler: Any
    kernels: dict[str, list[Any]]

    def artifact(self, lines_of: LinesOf) -> report.Artifact:
        """The text with its line map: a line of a kernel has all of the kernel's operations, a line
        that calls kernels has those of the buffers and kernels that it names."""
        code = output_code.parsed(self.text)
        lines = lines_of(self.backward)
        origins = {} if self.scheduler is None else buffers_of(self.scheduler)
        origins |= {name: origins_in(nodes) for name, nodes in self.kernels.items()}
        ids = {name: ids_of(lines, found) for name, found in origins.items()}
        return artifact("inductor", "python", code.text, code.nodes(ids))


@dataclass
class Writing:
    """The modules that were written within `listening`, in order."""

    done: list[Written] = field(default_factory=list)
    # Whether the graph that is being compiled is a backward graph.
    backward: bool = False
    _scheduler: Any = None
    _kernels: dict[str, list[Any]] = field(default_factory=dict)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Context in which what Inductor writes is kept."""
        with (
            hooks.on_schedule(lambda _: None, self._scheduled),
            hooks.on_kernels(self._defined),
            on_text(self._written),
        ):
            yield

    def _scheduled(self, scheduler: Any) -> None:
        self._scheduler = scheduler

    def _defined(self, name: str, nodes: list[Any]) -> None:
        # One text for equal work: what it is made of is of all of them.
        self._kernels.setdefault(name, []).extend(nodes)

    def _written(self, text: str) -> None:
        self.done.append(Written(text, self.backward, self._scheduler, self._kernels))
        self._scheduler, self._kernels = None, {}
