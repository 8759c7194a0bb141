"""The definitions of a Triton kernel for one tile: names, addresses, masks, loads and arithmetic.

It knows the tile's linear variables and which values have been defined; emit.py opens and closes
the loops around it.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from compiler_core.codegen.elementwise import Call
from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.frame import needs_int64
from compiler_core.codegen.triton.helpers import HELPERS
from compiler_core.codegen.triton.index import (
    Dim,
    Group,
    group_name,
    groups,
    offset,
    recover,
    touches,
)
from compiler_core.codegen.triton.inline import inline_constants, passed_on
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import atom
from compiler_core.ir.types import BF16, F16, I32
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import Compute, Const, Def, Index, Kernel, Load, operands

# Names that the printer uses itself: variables of the frame, indices of single axes.
OWN = re.compile(
    r"tl|triton|libdevice|index|row|column|batch|start|inner|across|down|acc|lhs|rhs|(\w+_)?mask|[ir]\d+(_[ir]\d+)*"
)


class Definitions:
    """`dims` are the linear variables, parallel ones first; `options` is the text of the options of
    a reduction over the tile (its axis), and `shape` the tile's shape."""

    def __init__(
        self, w: Writer, kernel: Kernel, dims: tuple[Dim, ...], options: str, shape: str
    ) -> None:
        self._w, self._kernel, self._dims = w, kernel, dims
        self._options, self._shape = options, shape
        self._axis = options.partition(",")[0]
        self._inline = inline_constants(kernel)
        self._passed = passed_on(kernel)
        self.defined: set[str] = set()

    # -- names

    def name(self, value: str) -> str:
        """The text that refers to a defined value."""
        if value in self._inline:
            return self._inline[value]
        if value in self._passed:
            return self.name(self._passed[value])
        return f"{value}_" if OWN.fullmatch(value) or value in HELPERS else value

    def _recovered(self, dim: Dim, group: Group, origins: Iterable[int]) -> str:
        name = group_name(dim, group)
        if f"index {name}" not in self.defined:
            self.defined.add(f"index {name}")
            self._w.line(f"{name} = {recover(dim, group)}", origins)
        return name

    def _offset(self, access: Affine, origins: tuple[int, ...]) -> str:
        axes = offset(access, self._dims, lambda dim, group: self._recovered(dim, group, origins))
        terms = ((self.name(x.value), x.stride) for x in access.indirect)
        values = " + ".join(name if s == 1 else f"{name} * {atom(s)}" for name, s in terms)
        return " + ".join(part for part in (values, axes) if part).replace("+ -", "- ")

    def _pointer(self, buffer: str, access: Affine, origins: tuple[int, ...]) -> str:
        where = self._offset(access, origins)
        return f"{buffer}_ptr + {where}" if where else f"{buffer}_ptr"

    def recover(self, defs: Iterable[Def], dim: Dim) -> None:
        """Writes the indices along `dim` that `defs` need, before a loop that does not advance
        it."""
        for d in defs:
            for group in groups(d.access, dim) if isinstance(d, Load | Index) else ():
                if recover(dim, group) != dim.name:
                    self._recovered(dim, group, d.origins)

    def _masks(self, dims: Iterable[Dim]) -> list[str]:
        return [dim.mask for dim in dims if dim.mask]

    def bind(self, value: str, text: str, origins: Iterable[int]) -> None:
        """Defines a value by an expression."""
        self.defined.add(value)
        self._w.line(f"{self.name(value)} = {text}", origins)

    # -- definitions

    def define(self, defs: Iterable[Def]) -> None:
        """Writes those of `defs` that are not yet defined, operands first."""
        for d in defs:
            if d.name in self.defined or d.name in self._inline or d.name in self._passed:
                continue
            self.defined.add(d.name)
            text = self._definition(d)
            self._w.line(f"{self.name(d.name)} = {text}", d.origins)

    def _definition(self, d: Def) -> str:
        match d:
            case Load():
                return self._load(d)
            case Const():
                dtype = ops.tl_type(ops.register(d.dtype))
                return f"tl.full((), {ops.literal(d.value)}, {dtype})"
            case Index():
                where = self._offset(d.access, d.origins)
                if not self._touched(d.access) and not d.access.indirect:
                    return f"tl.full((), {where or 0}, {ops.tl_type(ops.register(d.dtype))})"
                if d.dtype is I32 and not self._in_64_bits(d.access):
                    return where
                whole = where if where.isidentifier() else f"({where})"
                return f"{whole}.to({ops.tl_type(ops.register(d.dtype))})"
            case Compute():
                return self._compute(d)

    def _in_64_bits(self, access: Affine) -> bool:
        """Whether an index may be counted in 64 bits, as a variable or a value in it is."""
        return bool(access.indirect) or needs_int64(self._kernel)

    def _load(self, d: Load) -> str:
        touched = self._touched(d.access)
        pointer = self._pointer(d.buffer, d.access, d.origins)
        masks = self._masks(dim for dim in self._dims if dim.name in touched)
        if d.mask is not None:
            mask = self.name(d.mask)
            masks.append(mask)
            if self._blocks[d.mask] - touched:
                # A mask may not have more points than the pointer.
                where = self._offset(d.access, d.origins) or "0"
                pointer = f"{d.buffer}_ptr + tl.where({mask}, {where}, 0)"
        mask = ""
        if masks:
            mask = f", mask={' & '.join(masks)}, other={ops.literal(d.other)}"
        upcast = ".to(tl.float32)" if d.dtype in (F16, BF16) else ""
        return f"tl.load({pointer}{mask}){upcast}"

    def _touched(self, access: Affine) -> set[str]:
        """The linear variables that an access depends on, directly or through its computed
        terms."""
        own = {dim.name for dim in self._dims if touches(access, dim)}
        return own.union(*(self._blocks[v] for v in access.values))

    @cached_property
    def _blocks(self) -> Mapping[str, frozenset[str]]:
        """The linear variables that each value varies with, without those that are single
        numbers."""
        blocks = [dim for dim in self._dims if dim.block]
        whole = frozenset(dim.name for dim in blocks)
        rows = frozenset(dim.name for dim in blocks if dim.axes == self._kernel.parallel)
        found = dict.fromkeys(self._kernel.reductions, rows)
        found |= dict.fromkeys(self._kernel.scans, whole)
        for d in self._kernel.defs:
            walked = isinstance(d, Load | Index) and [x for x in blocks if touches(d.access, x)]
            own = frozenset(dim.name for dim in walked or ())
            found[d.name] = own.union(*(found[a] for a in operands(d)))
        return found

    def _compute(self, d: Compute) -> str:
        dtypes = tuple(self._kernel.dtype_of(a) for a in d.args)
        args = tuple(self.name(a) for a in d.args)
        return ops.text(Call(d.op, d.dtype, args, dtypes, d.direction))
