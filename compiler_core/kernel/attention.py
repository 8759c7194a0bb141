"""Attention over axes of its own: five fragments, which are ordinary kernels, and what binds them.

    query[row, d]   key[key, d]   value[key, d]                  what is loaded, and how
    score[row, key] = f(the sum over d of query * key)           scale, mask, soft cap, ...
    result[row, d]  = the sum over key of softmax(score) * value, divided and stored

All of it for each point of the batch axes; the scores are never in memory. Rows that read the
same keys (the queries of a group) may stand in the batch: a fragment that does not depend on a
batch axis simply has no term in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from compiler_core.ir.sizes import Dim, Symbol, hint, product, symbols
from compiler_core.ir.types import DType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.inline import numbered
from compiler_core.kernel.kernel import Axis, BufferParam, Compute, Const, Def, Kernel, Load
from compiler_core.kernel.softmax import Softmax

ROW, KEY, DEPTH = "row", "key", "d"
# The buffer name of what a fragment passes to the template in registers.
TILE = "tile"


@dataclass(frozen=True)
class Attention:
    """For each point of `batch`, `rows` queries and `keys` keys, any of them symbolic. `depth` is
    the length of a query and of a key, `width` that of a value and of a result; `dtype` is that of
    the queries. `softmax` says what a completely masked row gives. `reach`: keys beyond row + reach
    are masked, which the mask's text proves. `scored` and `summed` are the captured operations of
    the two products."""

    batch: tuple[Axis, ...]
    rows: Dim
    keys: Dim
    depth: int
    width: int
    dtype: DType
    query: Fragment
    key: Fragment
    score: Fragment
    value: Fragment
    result: Fragment
    softmax: Softmax
    reach: int | None = None
    scored: tuple[int, ...] = ()
    summed: tuple[int, ...] = ()

    @property
    def parts(self) -> tuple[Fragment, ...]:
        return (self.query, self.key, self.score, self.value, self.result)

    @property
    def heads(self) -> Dim:
        """The number of points of the batch axes."""
        return product(a.extent for a in self.batch)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that its sizes and fragments depend on."""
        own = (symbols(dim) for dim in (self.heads, self.rows, self.keys))
        parts = (part.kernel.symbols for part in self.parts)
        return tuple(sorted({s for some in (*own, *parts) for s in some}))

    @property
    def pairs(self) -> int:
        """The number of scores of one head that are not masked, in the captured call: about half
        of them for a causal mask."""
        rows, keys, reach = hint(self.rows), hint(self.keys), self.reach
        if reach is None:
            return rows * keys
        return sum(min(keys, max(0, row + reach + 1)) for row in range(rows))

    @property
    def across(self) -> tuple[Load, ...]:
        """Loads of the scores' fragment (a mask, a bias) that are contiguous along keys and not
        along rows."""
        return tuple(d for d in self._own_loads if _steps(d) == (False, True))

    @property
    def scattered(self) -> tuple[Load, ...]:
        """Loads of the scores' fragment that are contiguous neither along rows nor along keys, or
        that along keys are masked or at computed places."""
        return tuple(d for d in self._own_loads if _steps(d) == (False, False))

    @property
    def _own_loads(self) -> Iterator[Load]:
        loads = (d for d in self.score.kernel.defs if isinstance(d, Load))
        return (d for d in loads if d.name not in self.score.product)

    @property
    def named(self) -> Mapping[str, Fragment]:
        return dict(zip(("query", "key", "score", "value", "result"), self.parts, strict=True))

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return tuple({b.name: b for each in self.parts for b in inputs_of(each)}.values())

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return self.result.kernel.outputs


def _steps(load: Load) -> tuple[bool, bool]:
    """Whether neighbouring rows, and neighbouring keys, are neighbours in memory or the same."""
    row, key = (load.access.stride(axis) in (0, 1) for axis in (ROW, KEY))
    return row, key and load.mask is None and not load.access.indirect


def load(
    letter: str, axes: Iterable[Axis], buffer: BufferParam, at: Affine, origins: tuple[int, ...]
) -> Kernel:
    """A fragment that yields the element of `buffer` at each point."""
    loaded = Load(f"{letter}0", buffer.type.dtype, buffer.name, at, origins)
    own = replace(buffer, role="in")
    return Kernel(letter, "elementwise", tuple(axes), (own,), (loaded,), _yields(loaded.name))


def part(kernel: Kernel, value: str, letter: str, given: str = "") -> Fragment:
    """The fragment that computes `value` of `kernel`, its values renamed with `letter`; loads of
    the buffer `given` are replaced by what is in registers."""
    needed = kernel.needed((value,))
    kept = replace(kernel, defs=needed, phases=_yields(value))
    named, names = numbered(kept, letter)
    return Fragment(_read(named), _sides(named), _loads(named, given), names[value])


def unscaled(kernel: Kernel, value: str) -> tuple[str, tuple[Compute, ...], float]:
    """(x, multiplications, factor): `value` of `kernel` is x times `factor`, by these
    multiplications with numbers and by conversions to a wider float. Both may be done on the
    product of x instead, which is in f32."""
    factor, found, at = 1.0, tuple[Compute, ...](), kernel.definitions
    while isinstance(d := at[value], Compute):
        numbers = [x for a in d.args if isinstance(x := at[a], Const)]
        if d.op == "multiply" and len(numbers) == 1:
            factor *= float(numbers[0].value)
            (value,) = (a for a in d.args if a != numbers[0].name)
            found = (*found, d)
        elif d.op == "convert" and _is_upcast(kernel.dtype_of(d.args[0]), d.dtype):
            (value,) = d.args
        else:
            break
    return value, found, factor


def _is_upcast(source: DType, target: DType) -> bool:
    return source.is_float and source.bits <= target.bits


def scaled(kernel: Kernel, buffer: str, factor: float, by: Iterable[Compute]) -> Kernel:
    """`kernel` with its loads from `buffer` multiplied by `factor`."""
    origins = tuple(sorted({o for d in by for o in d.origins}))
    defs: list[Def] = []
    for d in kernel.defs:
        if not (isinstance(d, Load) and d.buffer == buffer) or factor == 1:
            defs.append(d)
            continue
        product, number = f"{d.name}_product", f"{d.name}_factor"
        defs += [
            replace(d, name=product),
            Const(number, d.dtype, factor, origins),
            Compute(d.name, d.dtype, "multiply", (product, number), origins),
        ]
    return replace(kernel, defs=tuple(defs))


def end(kernel: Kernel, letter: str, given: str) -> Fragment:
    """The epilogue that stores what `kernel` stores, its loads of the buffer `given` replaced by
    the result in registers; its values are renamed with `letter`."""
    named, _ = numbered(kernel, letter)
    return Fragment(named, _sides(named), _loads(named, given))


def inputs_of(fragment: Fragment) -> tuple[BufferParam, ...]:
    """The buffers that the attention reads."""
    loads = (d for d in fragment.kernel.defs if isinstance(d, Load))
    read = {d.buffer for d in loads if d.name not in fragment.product}
    return tuple(b for b in fragment.kernel.inputs if b.name in read)


def is_plain(fragment: Fragment) -> bool:
    """Whether the fragment yields its input unchanged."""
    return fragment.product == (fragment.value,)


def _sides(kernel: Kernel) -> tuple[tuple[Axis, ...], ...]:
    """The batch, the rows or keys, and the last axis."""
    *batch, along, last = kernel.axes
    return tuple(batch), (along,), (last,)


def yielded(kernel: Kernel) -> str:
    """The value that a fragment yields."""
    (store,) = kernel.stores
    return store.value


def yielding(kernel: Kernel, value: str) -> Kernel:
    """The fragment with another value as its result."""
    return replace(kernel, phases=_yields(value))


def _yields(value: str) -> tuple[Phase, ...]:
    return (Phase((Store(TILE, Affine(), value),)),)


def _loads(kernel: Kernel, buffer: str) -> tuple[str, ...]:
    return tuple(d.name for d in kernel.defs if isinstance(d, Load) and d.buffer == buffer)


def _read(kernel: Kernel) -> Kernel:
    """The kernel with the buffers and the origins that its definitions have."""
    read = {d.buffer for d in kernel.defs if isinstance(d, Load)}
    buffers = tuple(b for b in kernel.buffers if b.name in read)
    origins = tuple(sorted({o for d in kernel.defs for o in d.origins}))
    return replace(kernel, buffers=buffers, origins=origins)
