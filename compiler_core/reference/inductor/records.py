"""What was recorded of TorchInductor's work on one graph: plain values, which outlive its
compilation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from compiler_core.reference.fx_text import Line
from compiler_core.reference.inductor.values import Values
from compiler_core.reference.origins import Origin

Origins = tuple[Origin, ...]

# The beginning of the kind of a node that calls a library.
CALL = "call of "


@dataclass(frozen=True)
class Fired:
    """A pattern that was applied: its name, and the operations before and after it."""

    pattern: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    origins: Origins


@dataclass
class Passes:
    """A group of passes on a graph, before and after; `ms` by the passes' names."""

    group: str
    before: list[Line]
    after: list[Line] = field(default_factory=list)
    fired: list[Fired] = field(default_factory=list)
    ms: list[tuple[str, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Unit:
    """A node of the scheduler at one moment. `members` are the operations in it, by the scheduler's
    names; `loops` are its sizes, with the reduced ones after a bar."""

    name: str
    kind: str
    members: tuple[str, ...]
    ops: tuple[str, ...]
    origins: Origins
    loops: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    bytes_read: int
    bytes_written: int
    # The bytes that it reads or writes of each buffer, by name.
    read: Mapping[str, int] = field(default_factory=dict)
    written: Mapping[str, int] = field(default_factory=dict)
    # Whether it only moves elements: each is read and written as it is.
    is_copy: bool = False

    @property
    def is_call(self) -> bool:
        """Whether it calls a library."""
        return self.kind.startswith(CALL)


@dataclass(frozen=True)
class Pair:
    """Two nodes of the scheduler that were considered for fusion; `reason` is Inductor's own."""

    first: Unit
    second: Unit
    reason: str
    fused: bool

    @property
    def bytes(self) -> int:
        """The bytes of the buffers that both access, each counted once, as the lesser of what the
        two access of it."""
        first, second = (dict(u.read) | dict(u.written) for u in (self.first, self.second))
        return sum(min(first[name], second[name]) for name in first.keys() & second.keys())


@dataclass(frozen=True)
class Defined:
    """A generated kernel, and the scheduler's operations in it."""

    name: str
    members: tuple[str, ...]


@dataclass
class Lowered:
    """A graph from its last passes to its code. `role` is forward, backward or ""; `examples` and
    `options` are Inductor's arguments."""

    role: str
    module: Any
    examples: list[Any]
    options: dict[str, Any]
    passes: list[Passes] = field(default_factory=list)
    before: list[Unit] = field(default_factory=list)
    after: list[Unit] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    kernels: list[Defined] = field(default_factory=list)
    # What each value was computed for, by its buffer's name.
    buffers: dict[str, Origins] = field(default_factory=dict)
    # The origins of each kernel's values, by kernel name; and those of the graph's nodes, by node
    # name.
    values: dict[str, Values] = field(default_factory=dict)
    nodes: dict[str, Origin] = field(default_factory=dict)
    text: str = ""
    device: str = "cpu"
    # Whether CUDA graphs were asked for, and why there are none.
    cudagraphs: bool = False
    cudagraphs_refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Phase:
    """A phase of compilation that torch timed, nested in `depth` others."""

    name: str
    depth: int
    ms: float


@dataclass
class Compiled:
    """One graph of TorchDynamo's: the passes before it was partitioned, and the graphs that it was
    partitioned into."""

    passes: list[Passes] = field(default_factory=list)
    lowered: list[Lowered] = field(default_factory=list)
