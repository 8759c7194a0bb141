"""The statements of one C kernel: definitions, loads, stores and combinations at one point.

A Scope maps the kernel's values to the C expressions that hold them at a point in the text. Which
loops are open there is the business of the strategies: flat.py, rows.py, columns.py, split.py and
scatter.py.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import gt

from compiler_core.codegen.c import ops as c_ops
from compiler_core.codegen.c.monoids import Monoid, monoid
from compiler_core.codegen.c.truths import indices_of_truths
from compiler_core.codegen.c.types import (
    convert,
    literal,
    loaded,
    register_type,
    stored,
)
from compiler_core.codegen.elementwise import Call
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import Dim, at_most, is_multiple, is_proved, product
from compiler_core.ir.types import BF16, BOOL, DType
from compiler_core.kernel.access import Affine, factor
from compiler_core.kernel.effects import Reduce, Scan, Store
from compiler_core.kernel.kernel import Axis, Compute, Const, Def, Index, Kernel, Load
from compiler_core.kernel.ranges import Ranges
from compiler_core.schedule.cpu.schedule import of_single_elements, register

Scope = dict[str, str]
Names = tuple[str, ...]
# gcc unrolls loops of fewer iterations completely.
_UNROLLED = 4


class Body:
    """Writes the statements of `kernel`."""

    def __init__(self, w: Writer, kernel: Kernel) -> None:
        self.w, self.kernel = w, kernel
        self.has_masked_loads = any(isinstance(d, Load) and d.mask for d in kernel.defs)
        self.hidden = indices_of_truths(kernel)
        elements = [b.type.elements for b in kernel.buffers]
        points = product(axis.extent for axis in kernel.axes if axis.extent != 0)
        # Indices are int where that is wide enough: their vectors are half as wide.
        fits = all(at_most(count, 2**31 - 1) for count in (points, *elements))
        self.index = "int" if fits else "long"
        # By buffer, where its element at the present point goes instead (streams.py).
        self.streamed: Mapping[str, str] = {}

    # -- control

    @contextmanager
    def braces(self, header: str = "", origins: Iterable[int] = ()) -> Iterator[None]:
        self.w.line(f"{header} {{".lstrip(), origins)
        with self.w.indent():
            yield
        self.w.line("}")

    @contextmanager
    def loop(self, axis: Axis, low: str = "0", high: str = "") -> Iterator[None]:
        """A loop over `axis`, or over its part low <= axis < high."""
        n = axis.name
        with self.braces(f"for ({self.index} {n} = {low}; {n} < {high or axis.extent}; {n}++)"):
            yield

    @contextmanager
    def innermost(self, axis: Axis, low: str = "0", high: str = "") -> Iterator[None]:
        """The loop around the statements. gcc 12 unrolls a short one completely and may then
        vectorise the loop around it, which would read elements where the condition of `mask ? x[at]
        : 0` is false; an empty assembler statement prevents that."""
        with self.loop(axis, low, high):
            if self.has_masked_loads and _length(axis, low, high) < _UNROLLED:
                self.w.line('__asm__ volatile("");  // no vectors here')
            yield

    @contextmanager
    def loops(self, axes: Sequence[Axis], ranges: Ranges | None = None) -> Iterator[None]:
        """Nested loops over `axes`, restricted to `ranges` where given."""
        if not axes:
            yield
            return
        low, high = (ranges or {}).get(axes[0].name, (0, axes[0].extent))
        with self.loop(axes[0], str(low), str(high)), self.loops(axes[1:], ranges):
            yield

    @contextmanager
    def tiles(self, axis: Axis, size: int) -> Iterator[None]:
        """A loop over tiles of `axis`."""
        n = f"{axis.name}_tile"
        with self.braces(f"for ({self.index} {n} = 0; {n} < {axis.extent}; {n} += {size})"):
            yield

    def tile_end(self, axis: Axis, size: int) -> str:
        """The end of the current tile of `axis`, as an expression or a variable that is defined
        here."""
        end = f"{axis.name}_tile + {size}"
        if is_multiple(axis.extent, size):
            return end
        name = f"{axis.name}_end"
        limit = f"{end} < {axis.extent} ? {end} : {axis.extent}"
        self.w.line(f"{self.index} {name} = {limit};")
        return name

    def pragma(self, text: str) -> None:
        """A directive, indented like the loop that follows."""
        self.w.line(f"#pragma omp {text}")

    # -- values

    def define(self, defs: Iterable[Def], scope: Scope) -> None:
        """Defines those of `defs` that are not in `scope`, operands first."""
        for d in defs:
            if d.name in scope:
                continue
            if isinstance(d, Const):
                scope[d.name] = literal(d.value, d.dtype)
                continue
            text = self._definition(d, scope)
            self.w.line(f"{register_type(d.dtype)} {d.name} = {text};", d.origins)
            if d.name in self.hidden:
                self.w.line(f'__asm__("" : "+r"({d.name}));  // no vectors here', d.origins)
            scope[d.name] = d.name

    def assign(self, target: str, d: Def, scope: Scope) -> None:
        """Writes an assignment of the value of `d` to `target`, an element of an array of the
        kernel."""
        self.w.line(f"{target} = {self._definition(d, scope)};", d.origins)

    def _definition(self, d: Def, scope: Scope) -> str:
        match d:
            case Load():
                return self._load(d, scope)
            case Index():
                value = affine(d.access, scope)
                own = register_type(d.dtype)
                return value if own == self.index else f"({own})({value})"
            case Compute():
                dtypes = tuple(self.kernel.dtype_of(a) for a in d.args)
                args = tuple(scope[a] for a in d.args)
                return c_ops.text(Call(d.op, d.dtype, args, dtypes, d.direction))
            case Const():
                return literal(d.value, d.dtype)

    def _load(self, d: Load, scope: Scope) -> str:
        text = loaded(d.dtype, f"{d.buffer}[{affine(d.access, scope)}]")
        return text if d.mask is None else f"{scope[d.mask]} ? {text} : {literal(d.other, d.dtype)}"

    def store(self, e: Store, scope: Scope) -> None:
        """Writes a store, or an update of what is in memory."""
        (dtype,) = (b.type.dtype for b in self.kernel.buffers if b.name == e.buffer)
        place = self.streamed.get(e.buffer) or f"{e.buffer}[{affine(e.access, scope)}]"
        value = scope[e.value]
        test = f"if ({scope[e.mask]}) " if e.mask else ""
        if e.mode != "set":
            call = Call(e.mode, dtype, (loaded(dtype, place), value), (dtype, dtype))
            value = c_ops.text(call)
        written = f"packed_bf16({value})" if self._is_rounded(e, dtype) else stored(dtype, value)
        self.w.line(f"{test}{place} = {written};", e.origins)

    def _is_rounded(self, e: Store, dtype: DType) -> bool:
        """Whether what is stored has been rounded to bf16: what a conversion has made."""
        d = self.kernel.definitions.get(e.value)
        converted = isinstance(d, Compute) and d.op == "convert" and d.dtype is BF16
        return converted and dtype is BF16 and e.mode == "set"

    # -- reductions

    def monoid(self, e: Reduce | Scan) -> Monoid:
        """The C texts of a reduction's or scan's monoid."""
        return monoid(e.monoid, tuple(self.kernel.dtype_of(a) for a in e.args))

    def combine(self, e: Reduce | Scan, into: Names, values: Names) -> None:
        """Writes the statements that combine `values` into the accumulators `into`, in any
        order."""
        self._lines(self.monoid(e).combine, e, into, values)

    def _lines(self, lines: Iterable[str], e: Reduce | Scan, into: Names, values: Names) -> None:
        words = {f"a{i}": name for i, name in enumerate(into)}
        words |= {f"x{i}": value for i, value in enumerate(values)}
        for line in lines:
            self.w.line(line.format(n=e.names[0], **words), e.origins)

    def combine_next(self, e: Reduce | Scan, into: Names, values: Names) -> None:
        """Writes the statements that combine the next element, in the order of the reduce axes, by
        the monoid's cheaper `step` where that is allowed."""
        m = self.monoid(e)
        self._lines(m.step if m.step and goes_on(self.kernel, e) else m.combine, e, into, values)

    def combine_waiting(self, e: Scan, into: Names, values: Names) -> None:
        """Combines the next element of a scan that is sequential: each element waits for the one
        before."""
        m = self.monoid(e)
        if not m.branch or not goes_on(self.kernel, e):
            return self.combine_next(e, into, values)
        self._lines(m.branch, e, into, values)

    def begin(self, e: Reduce | Scan, names: Names, kinds: Names) -> None:
        """Declares the accumulators of a loop over the reduce axes."""
        m = self.monoid(e)
        for name, kind, identity in zip(names, kinds, m.identities, strict=True):
            self.w.line(f"{kind} {name} = {identity};", e.origins)

    def combine_in_vectors(self, e: Reduce | Scan, into: Names, values: Names) -> None:
        """Combines the next element in a loop with an OpenMP reduction(...) clause."""
        m = self.monoid(e)
        nan = (m.ordered, "{a0}_nan |= {x0} != {x0};")
        self._lines(nan if m.nan else m.combine, e, into, values)

    def begin_vectors(self, e: Reduce | Scan, name: str) -> None:
        """Declares what a loop with a reduction(...) clause needs in addition to the accumulator
        `name`."""
        if self.monoid(e).nan:
            self.w.line(f"int {name}_nan = 0;", e.origins)

    def end_vectors(self, e: Reduce | Scan, name: str) -> None:
        """Writes what follows the vector loop that `begin_vectors` was called for."""
        m = self.monoid(e)
        if m.nan:
            self.w.line(f"if ({name}_nan) {name} = {m.nan};", e.origins)

    def clauses(self, reduces: Iterable[tuple[Reduce | Scan, str]], how: str = "") -> str:
        """OpenMP's reduction(...) clauses, with the modifier `how`, for pairs of a reduction and
        its accumulator."""
        grouped: dict[str, list[str]] = {}
        for e, name in reduces:
            m = self.monoid(e)
            grouped.setdefault(m.clause, []).append(name)
            if m.nan:
                grouped.setdefault("|", []).append(f"{name}_nan")
        return "".join(
            f" reduction({how}{op} : {', '.join(names)})" for op, names in grouped.items()
        )

    def final(self, arg: str, text: str, accumulator: str) -> str:
        """The expression that converts `text`, the accumulator of the combined `arg` with the C
        type `accumulator`, to a row value."""
        dtype = self.kernel.dtype_of(arg)
        if dtype.is_float and dtype is not register(dtype):
            single = text if accumulator == "float" else f"(float){text}"
            return convert(single, register(dtype), dtype)
        own = register_type(dtype)
        if dtype is BOOL:
            return f"{text} != 0"
        return text if own == accumulator else f"({own}){text}"


def _length(axis: Axis, low: str, high: str) -> int:
    """The greatest number of iterations of a loop; the whole axis if its bounds are variables."""
    fixed = low.isdecimal() and high.isdecimal()
    return int(high) - int(low) if fixed else axis.hint


def goes_on(kernel: Kernel, e: Reduce | Scan) -> bool:
    """Whether elements may be combined one by one with the monoid's cheaper `step`: for an arg-max
    or arg-min if indices increase, for Welford's if each value is a single element."""
    if e.monoid == "welford":
        return of_single_elements(kernel, e)
    rest = [kernel.definitions.get(a) for a in e.args[1:]]
    return all(isinstance(d, Index) and _rises(d.access, kernel.reduce) for d in rest)


def _rises(access: Affine, axes: Sequence[Axis]) -> bool:
    """Whether the index rises along the loops over `axes`, innermost last."""
    reach: Dim = 0
    for axis in reversed(axes):
        stride, before = access.stride(axis.name), reach
        if not is_proved(partial(gt, stride, before)):
            return False
        reach = reach + stride * (axis.extent - 1)
    return True


def affine(access: Affine, scope: Scope) -> str:
    """An index as a C expression, such as `512 * i0 + r0 - 3`, with its computed terms as in
    `scope`."""
    named = [*((scope[x.value], x.stride) for x in access.indirect), *access.terms]
    parts = [a if s == 1 else f"{factor(s)} * {a}" for a, s in named]
    if access.offset != 0 or not parts:
        parts.append(str(access.offset))
    return " + ".join(parts).replace("+ -", "- ")


def element_type(dtype: DType) -> str:
    """The C type of a register value that is kept in an array of the kernel."""
    return "unsigned char" if dtype is BOOL else register_type(dtype)
