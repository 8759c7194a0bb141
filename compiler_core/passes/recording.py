"""Running and recording passes.

`run_pass` times one pass, verifies its result, and reports it as a Stage with the graph before and
after; a pass that changed nothing says so.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from compiler_core.ir.graph import Graph
from compiler_core.ir.text import with_line_map
from compiler_core.ir.verify import verify
from compiler_core.report import Artifact, Rewrite, Stage
from compiler_core.rewrite.engine import Rule, rewrite
from compiler_core.steering import current

OFF = "switched off"


@dataclass(frozen=True)
class Pass(ABC):
    """A transformation from valid graph to valid graph. `name` identifies it on the page and in the
    report, `about` is a sentence on its purpose; its fields are its options."""

    name: ClassVar[str]
    about: ClassVar[str]
    # Why the compiler needs the pass; blank for a pass that may be switched off.
    needed: ClassVar[str] = ""

    @abstractmethod
    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        """The graph afterwards, without operations that nothing reads any more (`graph` itself if
        nothing changed); and the rewrites that were done."""

    def __str__(self) -> str:
        """The name with those options that differ from their defaults:
        `merge-views{without=reshape-twice}`."""
        usual = [f for f in fields(self) if getattr(self, f.name) != f.default]
        options = " ".join(f"{f.name}={','.join(getattr(self, f.name))}" for f in usual)
        return f"{self.name}{{{options}}}" if options else self.name


@dataclass(frozen=True)
class Rewriting(Pass):
    """A pass that applies a table of rules, except for those named in `without`."""

    without: tuple[str, ...] = ()

    @property
    @abstractmethod
    def rules(self) -> Sequence[Rule]: ...

    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        return rewrite(graph, [r for r in self.rules if r.name not in self.without])


def run_pass(graph: Graph, each: Pass) -> tuple[Graph, Stage]:
    """The graph after the pass, and the stage that the page shows; the graph unchanged if a person
    has switched the pass off."""
    if not (each.needed or current().runs(each.name)):
        return graph, Stage(each.name, "skipped", 0.0, kind="pass", changed=False, summary=OFF)
    start = time.perf_counter()
    after, rewrites = each.run(graph)
    ms = (time.perf_counter() - start) * 1e3
    if after is graph:
        stage = Stage(each.name, "ok", ms, kind="pass", changed=False, summary="no change")
        return graph, stage
    verify(after, each.name)
    count = f"{len(rewrites)} rewrite{'' if len(rewrites) == 1 else 's'}"
    sizes = f"{len(graph.operations)} → {len(after.operations)} operations"
    return after, Stage(
        each.name,
        "ok",
        ms,
        [ir_artifact("before", graph), ir_artifact("after", after)],
        kind="pass",
        summary=f"{count}, {sizes}",
        rewrites=rewrites,
    )


def ir_artifact(name: str, graph: Graph) -> Artifact:
    """The graph's text with its line map."""
    return Artifact(name, "ir", "fuselab", *with_line_map(graph))
