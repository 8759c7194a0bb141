"""Integer narrowing: i64 arithmetic whose values are proved to fit in 32 bits is done in i32. A
vector has twice as many lanes then, and processors have more instructions for them.

Integers from torch are i64 by default, those that index an image or that a mask compares included;
the range of most of these follows from the loop extents that they are computed from.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from compiler_core.ir.ops import OPS
from compiler_core.ir.ranges import of_type
from compiler_core.ir.types import I32, I64, DType
from compiler_core.kernel.effects import Phase
from compiler_core.kernel.intervals import Interval, intervals
from compiler_core.kernel.kernel import Compute, Const, Def, Index, Kernel, operands, roots
from compiler_core.kernel.renaming import reading, renamed


def narrowed(kernel: Kernel, known: Mapping[str, Interval]) -> Kernel:
    """`kernel` with i64 values computed in i32 where their range, and that of their operands, fits
    and no effect or i64 computation reads them. `known` are ranges of values (both ends inclusive)
    in addition to those that follow from the kernel itself."""
    if not any(d.dtype is I64 for d in kernel.defs):
        return kernel
    fits = _fitting(kernel, known)
    narrow = _closed(kernel, {d.name for d in kernel.defs if _may_be(d, fits, kernel)})
    return _Narrowed(kernel, narrow).run() if narrow else kernel


def _fitting(kernel: Kernel, known: Mapping[str, Interval]) -> frozenset[str]:
    """The values of i64 that 32 bits hold."""
    least, most = of_type(I32)
    extents = {a.name: a.extent for a in kernel.axes}
    found = intervals(kernel.definitions.get, extents, known)
    each = ((d.name, found(d.name)) for d in kernel.defs if d.dtype is I64)
    return frozenset(n for n, own in each if own and least <= own[0] <= own[1] <= most)


def _may_be(d: Def, fits: Collection[str], kernel: Kernel) -> bool:
    """Whether `d` makes the same number, or truth, of operands in i32."""
    if not isinstance(d, Compute):
        return False
    wide = {x for x in (d.name, *d.args) if kernel.dtype_of(x) is I64}
    return OPS[d.op].any_width and bool(wide) and wide.issubset(fits)


def _closed(kernel: Kernel, narrow: set[str]) -> frozenset[str]:
    """Those of `narrow` that nothing reads in i64."""
    wide = set(roots(*kernel.effects))
    for d in reversed(kernel.defs):
        if d.dtype is I64 and d.name in wide:
            narrow.discard(d.name)
        if d.name not in narrow:
            wide.update(operands(d))
    return frozenset(narrow)


@dataclass
class _Narrowed:
    """`names`: of a value, what stands for it now; `short`: of one in i64, the same in i32."""

    kernel: Kernel
    narrow: frozenset[str]
    names: dict[str, str] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)
    defs: list[Def] = field(default_factory=list)

    def run(self) -> Kernel:
        for d in self.kernel.defs:
            self._add(d)
        phases = tuple(
            Phase(tuple(reading(e, self.names) for e in p.effects)) for p in self.kernel.phases
        )
        whole = replace(self.kernel, defs=tuple(self.defs), phases=phases)
        return replace(whole, defs=whole.needed(roots(*whole.effects)))

    def _add(self, d: Def) -> None:
        if d.name not in self.narrow or not isinstance(d, Compute):
            self.defs.append(renamed(d, self.names))
            return
        if d.dtype is I32 and self._is_wide(d.args[0]):
            # The value of an index, say, is converted already.
            self.short[d.args[0]] = d.name
            self.defs.append(d)
            return
        args = tuple(map(self._read, d.args))
        dtype = I32 if d.dtype is I64 else d.dtype
        if d.dtype is I64:
            self.short[d.name] = d.name
        if d.op == "convert" and self._dtype(d.args[0]) is dtype:
            self.names[d.name] = self.short[d.name] = args[0]
        else:
            self.defs.append(replace(d, dtype=dtype, args=args))

    def _is_wide(self, name: str) -> bool:
        """Whether a value is computed or read in i64, and nothing has asked for it in i32."""
        leaf = isinstance(self.kernel.definitions.get(name), Const | Index)
        wide = self.kernel.dtype_of(name) is I64
        return wide and not leaf and name not in self.short and name not in self.narrow

    def _dtype(self, name: str) -> DType:
        """The type in which a narrow computation reads a value."""
        own = self.kernel.dtype_of(name)
        return I32 if own is I64 else own

    def _read(self, name: str) -> str:
        if self.kernel.dtype_of(name) is not I64:
            return self.names.get(name, name)
        if name not in self.short:
            self.short[name] = f"{name}_i32"
            self.defs.append(self._shortened(name))
        return self.short[name]

    def _shortened(self, name: str) -> Def:
        """The i64 value in i32: a literal or an index as such, others converted."""
        own, d = self.short[name], self.kernel.definitions.get(name)
        if isinstance(d, Const | Index):
            return replace(renamed(d, self.names), name=own, dtype=I32)
        return Compute(own, I32, "convert", (name,), d.origins if d else ())
