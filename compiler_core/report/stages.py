"""Stages and passes: how long each took, what it changed, and the texts that it produced."""

import msgspec
from msgspec import field

from compiler_core.report.artifacts import Artifact
from compiler_core.report.graphs import WHOLE
from compiler_core.report.placement import Placement
from compiler_core.report.tables import Table
from compiler_core.report.vocabulary import StageStatus


class Rewrite(msgspec.Struct, frozen=True):
    """One application of a rewrite rule: the rule's name, the law that it states, the text before
    and after, and the ids of the captured operations."""

    rule: str
    law: str
    before: str
    after: str
    nodes: list[int] = field(default_factory=list)


class Stage(msgspec.Struct, frozen=True):
    """One stage or pass, and the milliseconds that it took. A pass that changed nothing has
    `changed` false and no artifacts; one that changed the IR has the artifacts "before" and
    "after", of which the former equals the previous pass's "after"."""

    name: str
    status: StageStatus
    ms: float
    artifacts: list[Artifact] = field(default_factory=list)
    # What kind of stage it is: "capture", "pass", "fuse", "schedule", "codegen", "compile", ...
    kind: str = ""
    changed: bool = True
    # One line for readers: "8 rewrites", "3 kernels", or why it was skipped.
    summary: str = ""
    rewrites: list[Rewrite] = field(default_factory=list)
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The backend whose plan it makes or prints, "cpu" or "gpu"; blank where it belongs to no single
    # one.
    backend: str = ""
    # The compiler or inside whose stage it is, by id; blank for the core's.
    compiler: str = ""
    # The name of its parent stage, of the same compiler and graph; blank at the top.
    parent: str = ""
    tables: list[Table] = field(default_factory=list)
    # For a program on a mesh: how its arguments and results are sharded.
    placement: Placement | None = None
    # The lines that the shortest difference from "before" to "after" adds and removes; None for a
    # stage without these artifacts, and in reports stored before they were counted.
    added: int | None = None
    removed: int | None = None
