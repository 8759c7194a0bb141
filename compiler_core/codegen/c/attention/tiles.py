"""Attention in C: a tile of query rows at a time, one row in each vector lane, in a loop over tiles
of keys (schedule/cpu/attention.py).

    queries [d, lane]    scores [key, lane]    result [d, lane]
    keys    [key, d]     values [key, d]

With rows in lanes, both products multiply a scalar of a key or value by a vector of rows, the
softmax reduces over keys without operations across lanes, and keys and values need no transpose.
What a score reads along keys, such as a mask, is copied by rows, and read across lanes from there:
the rows of a copy are one element longer than a tile, so that they do not share a cache set.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from compiler_core.codegen.c.body import Body, Scope, element_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import Dim, is_multiple, number
from compiler_core.kernel.attention import DEPTH, KEY, ROW, is_plain
from compiler_core.kernel.effects import Store
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import Load
from compiler_core.plan.attention.step import Attention
from compiler_core.schedule.cpu.attention import CpuAttentionSchedule


class Tiles:
    """Prints the function's body for `schedule`, which computes a tile of query rows at a time."""

    def __init__(self, w: Writer, step: Attention, schedule: CpuAttentionSchedule) -> None:
        self.w, self.whole, self.lanes, self.tile = w, step.whole, schedule.rows, schedule.keys
        self.threads = schedule.threads
        self.index = "long" if step.whole.symbols else "int"

    def run(self) -> None:
        softmax = self.whole.softmax
        with self._tiles_of_rows():
            self._begin()
            self._queries()
            with self._tiles_of_keys():
                self._copy(self.whole.key, "keys")
                self.w.line(
                    f"lanes_product(*keys, {self.whole.depth}, 1, *queries, 0, *scores, "
                    f"{self.lanes}, {self.whole.depth}, {self.tile});",
                    self.whole.scored,
                )
                self._scores()
                self.w.line(
                    f"lanes_softmax(*scores, top, total, factor, {self.lanes}, keys_here);",
                    {*softmax.top, *softmax.weight, *softmax.total},
                )
                self._copy(self.whole.value, "values")
                self.w.line(
                    f"lanes_product(*values, 1, {self.whole.width}, *scores, factor, *result, "
                    f"{self.lanes}, keys_here, {self.whole.width});",
                    self.whole.summed,
                )
            self._result()

    # -- loops

    @contextmanager
    def _tiles_of_rows(self) -> Iterator[None]:
        """The loops that the threads share; dynamically, as a mask may make tiles uneven."""
        batch, rows = self.whole.batch, self.whole.rows
        if self.threads:
            collapse = f"collapse({len(batch) + 1}) " if batch else ""
            how = f"{collapse}schedule(dynamic) num_threads(threads)"
            self.w.line(f"#pragma omp parallel for {how}")
        with ExitStack() as stack:
            for axis in batch:
                n = axis.name
                head = f"for ({self.index} {n} = 0; {n} < {axis.extent}; {n}++)"
                stack.enter_context(self._braces(head))
            head = f"for ({self.index} first = 0; first < {rows}; first += {self.lanes})"
            stack.enter_context(self._braces(head))
            self.w.line(f"int rows = {_rest(rows, 'first', self.lanes)};")
            yield

    @contextmanager
    def _tiles_of_keys(self) -> Iterator[None]:
        keys = self.whole.keys
        stop = str(keys)
        if self.whole.reach is not None:
            reach = f" + {self.whole.reach}" if self.whole.reach else ""
            self.w.line(f"{self.index} seen = first + rows{reach};".replace("+ -", "- "))
            self.w.line(f"{self.index} stop = seen < 1 ? 1 : seen < {keys} ? seen : {keys};")
            stop = "stop"
        with self._braces(f"for ({self.index} start = 0; start < {stop}; start += {self.tile})"):
            self.w.line(f"int keys_here = {_rest(keys, 'start', self.tile)};")
            yield

    @contextmanager
    def _braces(self, head: str, origins: Iterable[int] = ()) -> Iterator[None]:
        self.w.line(f"{head} {{", origins)
        with self.w.indent():
            yield
        self.w.line("}")

    # -- what a tile of rows has

    def _begin(self) -> None:
        w, whole, lanes = self.w, self.whole, self.lanes
        w.line(f"_Alignas(64) float queries[{whole.depth}][{lanes}] = {{0}};")
        w.line(f"_Alignas(64) float keys[{self.tile}][{whole.depth}];")
        w.line(f"_Alignas(64) float values[{self.tile}][{whole.width}];")
        w.line(f"_Alignas(64) float scores[{self.tile}][{lanes}];")
        w.line(f"_Alignas(64) float result[{whole.width}][{lanes}] = {{0}};")
        w.line(f"_Alignas(64) float top[{lanes}], total[{lanes}] = {{0}}, factor[{lanes}];")
        w.line(f"for (int lane = 0; lane < {lanes}; lane++) top[lane] = -__builtin_inff();")

    def _queries(self) -> None:
        part, depth = self.whole.query, self.whole.depth
        with self._lane_rows(part), self._along_depth(depth):
            self._hand_on(part, f"queries[{DEPTH}][lane]", {})

    def _copy(self, part: Fragment, tile: str) -> None:
        """A tile of keys or values as f32, side by side."""
        length = number(part.sides[-1][0].extent)
        with self._braces("for (int j = 0; j < keys_here; j++)"):
            self.w.line(f"{index_type(part)} {KEY} = start + j;")
            with self._along_depth(length):
                self._hand_on(part, f"{tile}[j][{DEPTH}]", {})

    def _scores(self) -> None:
        part = self.whole.score
        if is_plain(part):
            return
        for load in self.whole.across:
            self._copy_rows(part, load)
        with self._braces("for (int j = 0; j < keys_here; j++)"):
            self.w.line(f"{index_type(part)} {KEY} = start + j;")
            self.w.line("#pragma omp simd")
            with self._lane_rows(part):
                given = dict.fromkeys(part.product, "scores[j][lane]")
                given |= {d.name: f"{_rows_of(d)}[lane][j]" for d in self.whole.across}
                self._hand_on(part, "scores[j][lane]", given)

    def _copy_rows(self, part: Fragment, load: Load) -> None:
        """The elements that a tile of scores reads, side by side along the keys."""
        kind, name = element_type(load.dtype), _rows_of(load)
        self.w.line(f"{kind} {name}[{self.lanes}][{self.tile + 1}];", load.origins)
        with self._lane_rows(part):
            self.w.line("#pragma omp simd")
            with self._braces("for (int j = 0; j < keys_here; j++)"):
                self.w.line(f"{index_type(part)} {KEY} = start + j;")
                Body(self.w, part.kernel).assign(f"{name}[lane][j]", load, {})

    def _result(self) -> None:
        part, width, softmax = self.whole.result, self.whole.width, self.whole.softmax
        with self._lane_rows(part):
            zero = "total[lane] == 0 ? 0 : " if softmax.zeroed else ""
            self.w.line(f"float share = {zero}1 / total[lane];", softmax.share)
            with self._along_depth(width):
                self._store(f"result[{DEPTH}][lane] * share")

    def _store(self, element: str) -> None:
        """Stores what the steps after the product make of an `element` of the result."""
        part, softmax = self.whole.result, self.whole.softmax
        scope: Scope = dict.fromkeys(part.product, element)
        body = Body(self.w, part.kernel)
        for name, text in list(scope.items()):
            self.w.line(f"float {name} = {text};", softmax.share)
            scope[name] = name
        for phase in part.kernel.phases:
            for e in phase.effects:
                assert isinstance(e, Store)
                body.define(part.kernel.needed((e.value,)), scope)
                body.store(e, scope)

    # -- a fragment

    @contextmanager
    def _lane_rows(self, part: Fragment) -> Iterator[None]:
        with self._braces("for (int lane = 0; lane < rows; lane++)"):
            self.w.line(f"{index_type(part)} {ROW} = first + lane;")
            yield

    @contextmanager
    def _along_depth(self, length: int) -> Iterator[None]:
        self.w.line("#pragma omp simd")
        with self._braces(f"for (int {DEPTH} = 0; {DEPTH} < {length}; {DEPTH}++)"):
            yield

    def _hand_on(self, part: Fragment, place: str, scope: Scope) -> None:
        """Computes the fragment's value at a point, into `place`."""
        value = self._value(part, scope)
        self.w.line(f"{place} = {value};", part.kernel.definitions[part.value].origins)

    def _value(self, part: Fragment, scope: Scope | None = None) -> str:
        """Computes the fragment's value at a point; what holds it."""
        local = dict(scope or {})
        Body(self.w, part.kernel).define(part.kernel.needed((part.value,)), local)
        return local[part.value]


def _rows_of(load: Load) -> str:
    return f"{load.name}_rows"


def index_type(part: Fragment) -> str:
    """The C type of a fragment's indices."""
    return Body(Writer(), part.kernel).index


def _rest(extent: Dim, start: str, tile: int) -> str:
    """How many of `extent` a tile that begins at `start` has."""
    if is_multiple(extent, tile):
        return str(tile)
    return f"{extent} - {start} < {tile} ? {extent} - {start} : {tile}"
