"""Attention as Triton: each program computes a tile of rows, in steps along tiles of keys.

    row [ROWS, 1]    key [1, KEYS]    key_down [KEYS, 1]
    d [1, DEPTH]     d_down [DEPTH, 1]    w [1, WIDTH]

The scores of a tile exist in registers only. For the keys of previous tiles, a row keeps its
largest score, the sum of its weights relative to that, and the weighted sum of the values.
"""

from collections.abc import Iterable

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.body import Body
from compiler_core.codegen.triton.index import Dim
from compiler_core.codegen.triton.module import TritonSource
from compiler_core.codegen.triton.template import emitted, needs_long, program_id
from compiler_core.codegen.writer import Writer
from compiler_core.ir import sizes
from compiler_core.ir.sizes import is_multiple
from compiler_core.ir.types import F32, DType
from compiler_core.kernel.effects import Store
from compiler_core.kernel.fragment import Fragment
from compiler_core.plan.attention.step import Attention
from compiler_core.schedule.gpu.attention import GpuAttentionSchedule


def emit_attention(step: Attention, schedule: GpuAttentionSchedule) -> TritonSource:
    """The module of one attention."""
    w = Writer()
    return emitted(w, step, schedule, _Printer(w, step, schedule).run)


class _Printer:
    def __init__(self, w: Writer, step: Attention, schedule: GpuAttentionSchedule) -> None:
        self.w, self.step, self.whole, self.schedule = w, step, step.whole, schedule
        # Offsets that may need 64 bits are made of variables that have them.
        self.long = ".to(tl.int64)" if needs_long(step) else ""

    def run(self) -> None:
        w, whole, softmax = self.w, self.whole, self.whole.softmax
        self._rows()
        self._operand("queries", whole.query, ("row", "d"), "(ROWS, DEPTH)")
        w.line('top = tl.full((ROWS, 1), float("-inf"), tl.float32)', softmax.top)
        w.line("total = tl.full((ROWS, 1), 0, tl.float32)", softmax.total)
        w.line("result = tl.full((ROWS, WIDTH), 0, tl.float32)", whole.summed)
        w.line(f"for start in range(0, {self._stop()}, KEYS):")
        with w.indent():
            self._keys()
            self._operand("keys", whole.key, ("key", "d_down"), "(DEPTH, KEYS)")
            self._scores()
            self._softmax()
            self._operand("values", whole.value, ("key_down", "w"), "(KEYS, WIDTH)")
            kind = _dtype(whole.value)
            weights = "weights" if kind is F32 else f"weights.to({ops.tl_type(kind)})"
            dot = f"tl.dot({weights}, values, result * factor{_exact(kind)})"
            w.line(f"result = {dot}", whole.summed)
        self._result()

    # -- the variables

    def _rows(self) -> None:
        w, whole = self.w, self.whole
        first = program_id(self.step)
        if whole.batch:
            w.line(f"tiles = tl.cdiv({whole.rows}, ROWS)")
            w.line(f"batch = {first} // tiles")
            first += " % tiles"
        w.line(f"first = {first} * ROWS")
        w.line("row = (first + tl.arange(0, ROWS))[:, None]")
        w.line("d = tl.arange(0, DEPTH)[None, :]")
        w.line("d_down = tl.arange(0, DEPTH)[:, None]")
        w.line("w = tl.arange(0, WIDTH)[None, :]")
        for name in ("row", "d", "d_down", "w"):
            self._mask(name)

    def _keys(self) -> None:
        keys = f"start + tl.arange(0, KEYS){self.long}"
        self.w.line(f"key = ({keys})[None, :]")
        self.w.line(f"key_down = ({keys})[:, None]")
        for name in ("key", "key_down"):
            self._mask(name)

    def _sizes(self, name: str) -> tuple[sizes.Dim, int]:
        """How many points there are along a variable, and how many its tile has."""
        x, s = self.whole, self.schedule
        known: dict[str, tuple[sizes.Dim, int]] = {
            "row": (x.rows, s.block_rows), "key": (x.keys, s.block_keys),
            "d": (x.depth, s.block_depth), "w": (x.width, s.block_width),
        }  # fmt: skip
        return known[name.removesuffix("_down")]

    def _mask(self, name: str) -> None:
        extent, _ = self._sizes(name)
        if self._masked(name):
            self.w.line(f"{name}_mask = {name} < {extent}")

    def _masked(self, name: str) -> str:
        """The mask of a variable whose last tile is not full."""
        extent, block = self._sizes(name)
        return "" if is_multiple(extent, block) else f"{name}_mask"

    def _masks(self, names: Iterable[str]) -> str:
        """What is true of the points that exist along each of the variables; "" if all do."""
        return " & ".join(filter(None, map(self._masked, names)))

    def _stop(self) -> str:
        reach, keys = self.whole.reach, self.whole.keys
        if reach is None:
            return str(keys)
        seen = f"first + ROWS + {reach}".replace("+ -", "- ").removesuffix(" + 0")
        return f"tl.minimum({keys}, tl.maximum(1, {seen}))"

    # -- the fragments

    def _body(self, part: Fragment, names: tuple[str, str]) -> Body:
        batch, *sides = part.sides
        dims = [Dim(n, axes, self._masked(n)) for n, axes in zip(names, sides, strict=True)]
        if batch:
            dims.insert(0, Dim("batch", batch, block=False))
        return Body(self.w, part.kernel, tuple(dims), "", "")

    def _operand(self, tile: str, part: Fragment, names: tuple[str, str], shape: str) -> None:
        """A tile of queries, keys or values of this shape, zero outside of the operand."""
        body = self._body(part, names)
        body.define(part.kernel.needed((part.value,)))
        value, whole = body.name(part.value), body.spans(part.value)
        if not whole:
            value = f"tl.broadcast_to({value}, {shape})"
        masks = self._masks(names)
        if masks and (len(part.kernel.defs) > 1 or not whole):
            value = f"tl.where({masks}, {value}, 0.0)"
        kind = _dtype(part)
        downcast = "" if kind is F32 else f".to({ops.tl_type(kind)})"
        origins = part.kernel.definitions[part.value].origins
        self.w.line(f"{tile} = {value}{downcast}", origins)

    def _scores(self) -> None:
        part = self.whole.score
        body = self._body(part, ("row", "key"))
        for name in part.product:
            dot = f"tl.dot(queries, keys{_exact(_dtype(self.whole.query))})"
            body.bind(name, dot, self.whole.scored)
        body.define(part.kernel.needed((part.value,)))
        value, mask = body.name(part.value), self._masked("key")
        scores = f'tl.where({mask}, {value}, float("-inf"))' if mask else value
        self.w.line(f"scores = {scores}", part.kernel.definitions[part.value].origins)

    def _softmax(self) -> None:
        w, x = self.w, self.whole.softmax
        w.line("best = tl.maximum(top, tl.max(scores, axis=1, keep_dims=True))", x.top)
        w.line("# A row without a score above minus infinity has weights of 0.")
        w.line('shift = tl.where(best == float("-inf"), 0.0, best)', x.top)
        w.line("weights = tl.exp(scores - shift)", x.weight)
        w.line("factor = tl.exp(top - shift)", x.weight)
        w.line("total = total * factor + tl.sum(weights, axis=1, keep_dims=True)", x.total)
        w.line("top = best", x.top)

    def _result(self) -> None:
        part, softmax = self.whole.result, self.whole.softmax
        share = "1.0 / total"
        if softmax.zeroed:
            share = f"tl.where(total == 0, 0.0, {share})"
        self.w.line(f"share = {share}", softmax.share)
        found = self._of_one("(result * share)")
        body = self._body(part, ("row", "w"))
        for name in part.product:
            dtype = part.kernel.dtype_of(name)
            downcast = "" if ops.register(dtype) is F32 else f".to({ops.tl_type(dtype)})"
            body.bind(name, f"{found}{downcast}", softmax.share)
        for phase in part.kernel.phases:
            for e in phase.effects:
                assert isinstance(e, Store)
                body.define(part.kernel.needed((e.value,)))
                body.store(e)

    def _of_one(self, result: str) -> str:
        """The result without the rest of a tile's side where that has one element: its address is
        one, too."""
        sides = (("row", self.whole.rows), ("w", self.whole.width))
        ones = [(axis, name) for axis, (name, size) in enumerate(sides) if size == 1]
        if not ones:
            return result
        kept = f"tl.where({self._masks(name for _, name in ones)}, {result[1:-1]}, 0.0)"
        options = "" if len(ones) == 2 else f", axis={ones[0][0]}, keep_dims=True"
        self.w.line(f"result = tl.sum({kept}{options})", self.whole.summed)
        return "result"


def _dtype(part: Fragment) -> DType:
    return part.kernel.dtype_of(part.value)


def _exact(dtype: DType) -> str:
    """f32 is multiplied as f32, and not as TF32."""
    return ', input_precision="ieee"' if dtype is F32 else ""
