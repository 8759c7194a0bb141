"""Records what Dynamo reports while it compiles: functions, graphs and breaks, in order."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from compiler_core.capture.torch.dynamo import private as dynamo
from compiler_core.reference.dynamo import private
from compiler_core.reference.dynamo.gaps import Gaps
from compiler_core.reference.dynamo.rewritten import title
from compiler_core.snippet.output import unlogged
from compiler_core.snippet.source import is_own

_FOLDERS = re.compile(r"[^\s\"'`(]*/site-packages/")
# The longest of these lists: a loop that breaks in every iteration has as many breaks.
_MOST = 200


@dataclass(frozen=True)
class Place:
    """A place in a file: the line from 1, the column from 0."""

    file: str
    line: int
    column: int | None
    function: str


@dataclass(frozen=True)
class Break:
    """A graph break: Dynamo's name of its kind, its whole message, and the user's stack, outermost
    first. `during` is the id of the compilation that ended there."""

    category: str
    reason: str
    stack: tuple[Place, ...]
    during: str

    @property
    def own(self) -> tuple[Place, ...]:
        """The places in the snippet."""
        return tuple(p for p in self.stack if is_own(p.file))


@dataclass
class Frame:
    """One compilation of one function: its code as found and as rewritten, and its graph; a
    function without tensor operations has none."""

    id: str
    old: CodeType
    new: CodeType
    graph: Any = None
    breaks: list[Break] = field(default_factory=list)
    function: str = ""

    @property
    def is_own(self) -> bool:
        """Whether the function is the snippet's, or what it compiles of torch's own."""
        return is_compiled_by_snippet(self.old)


@dataclass
class Heard:
    """Records Dynamo in one thread. `backend` is the back end to compile with: it runs each graph
    operation by operation."""

    # The name of what is compiled.
    program: str = ""
    frames: list[Frame] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    graphs: dict[str, Any] = field(default_factory=dict)
    # Called with each graph while Dynamo is compiling it.
    on_graph: Callable[[str, Any], None] = lambda id_, graph: None
    gaps: Gaps = field(default_factory=Gaps)
    _thread: int = field(default_factory=threading.get_ident)
    # Our numbers of compilations by torch's, which count from the beginning of the process.
    ids: dict[str, str] = field(default_factory=dict)

    def backend(self, graph: Any, examples: Sequence[Any], **_: Any) -> Callable[..., Any]:
        """A back end of torch.compile."""
        run: Callable[..., Any] = graph.forward
        if self.gaps.is_on:
            self.gaps.is_cold = True
        elif self._is_ours():
            self.graphs[self.during()] = graph
            self.on_graph(self.during(), graph)
            run = self.gaps.around(self.during(), run)
        return run

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Context in which functions and breaks are recorded, and Dynamo logs nothing."""
        with unlogged(), dynamo.on_bytecode(self._rewritten), private.on_break(self._broke):
            yield

    def _rewritten(self, old: CodeType, new: CodeType) -> None:
        if self._is_ours() and len(self.frames) < _MOST:
            id_ = self.during()
            breaks = [b for b in self.breaks if b.during == id_]
            name = self.name_of(old)
            self.frames.append(Frame(id_, old, new, self.graphs.get(id_), breaks, name))

    def name_of(self, code: CodeType) -> str:
        """A function's name for people."""
        return self.program if private.is_around(code) else title(code.co_name)

    def _broke(self, error: Any, reason: str, stack: Sequence[Any]) -> None:
        if self._is_ours() and len(self.breaks) < _MOST:
            self.breaks.append(as_break(error, reason, stack, self.during()))

    def during(self) -> str:
        """The id of the compilation under way: "0/1" is the second compilation of the first
        function."""
        id_ = private.compile_id()
        if id_ not in self.ids:
            known = [*dict.fromkeys(map(_function, self.ids))]
            number = [*known, _function(id_)].index(_function(id_))
            times = sum(_function(other) == _function(id_) for other in self.ids)
            self.ids[id_] = f"{number}/{times}"
        return self.ids[id_]

    def _is_ours(self) -> bool:
        return threading.get_ident() == self._thread


def is_compiled_by_snippet(code: CodeType) -> bool:
    """Whether a function is the snippet's, or stands around what it compiles of torch's own."""
    return is_own(code.co_filename) or private.is_around(code)


def as_break(error: Any, reason: str, stack: Sequence[Any], during: str = "") -> Break:
    """An error that Dynamo raised, as a Break."""
    places = tuple(Place(f.filename, f.lineno or 0, f.colno, f.name) for f in stack)
    return Break(private.category(error), without_folders(reason), places, during)


def _function(id_: str) -> str:
    return id_.partition("/")[0]


def without_folders(text: str) -> str:
    """A text of torch's without the folders in which torch is installed."""
    return _FOLDERS.sub("", text)
