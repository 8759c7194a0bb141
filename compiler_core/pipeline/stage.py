"""What a stage of the pipeline is: what runs it, what it needs, and for what it is run."""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.pipeline.context import Compilation, Work


@dataclass(frozen=True)
class Stage:
    """A stage of the program, or of each of its graphs. `needs` names fields of the Compilation
    that must be set. A stage may emit several under names of their own; an exception outside of
    these is a failure of its own name and kind."""

    name: str
    kind: str
    run: Callable[[Compilation], None]
    needs: tuple[str, ...] = ()
    # Whether the options ask for it.
    wanted: Callable[[Compilation], bool] = lambda _: True
    # Whether it is done for each graph of the program, or once for all of it.
    each_graph: bool = False

    def places(self, c: Compilation) -> list[tuple[Compilation]]:
        """The compilations, program or graphs, that the stage is run for."""
        return [(part,) for part in c.parts] if self.each_graph else [(c,)]

    def ready(self, c: Compilation) -> bool:
        """Whether everything that the stage needs is there, and the stage is wanted."""
        return self.wanted(c) and all(getattr(c, need) is not None for need in self.needs)


@dataclass(frozen=True)
class BackendStage:
    """A stage of each graph for each backend. `needs` names the field of its Work that must be set,
    if any."""

    name: str
    kind: str
    run: Callable[[Compilation, Work], None]
    needs: str = ""
    wanted: Callable[[Compilation, Work], bool] = lambda c, work: True

    def places(self, c: Compilation) -> list[tuple[Compilation, Work]]:
        """Each graph with each backend's work."""
        return [(part, work) for part in c.parts for work in part.works]

    def ready(self, c: Compilation, work: Work) -> bool:
        """Whether its `needs` is set, and the stage is wanted."""
        is_there = not self.needs or getattr(work, self.needs) is not None
        return is_there and self.wanted(c, work)
