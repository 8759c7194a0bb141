"""What each pass did: the driver records, nobody else does.

`run_pass` times one pass, verifies what it made, and says it as a Stage with the graph before
and after; a pass that changed nothing says so.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.ir.graph import Graph
from compiler_core.ir.text import line_map, to_text
from compiler_core.ir.verify import verify
from compiler_core.report import Artifact, Rewrite, Stage

Transform = Callable[[Graph], tuple[Graph, list[Rewrite]]]


@dataclass(frozen=True)
class Pass:
    """A named transform and one sentence on what it is for."""

    name: str
    about: str
    transform: Transform


def run_pass(graph: Graph, each: Pass) -> tuple[Graph, Stage]:
    """The graph after the pass, and the stage that the page shows."""
    start = time.perf_counter()
    after, rewrites = each.transform(graph)
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
    return Artifact(name, "ir", "fuselab", to_text(graph), line_map(graph))
