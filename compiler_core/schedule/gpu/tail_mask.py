"""Masking the last part of a split axis whose extent is not a multiple of the part."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import number
from compiler_core.ir.types import BOOL, I32, DType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Reduce
from compiler_core.kernel.kernel import Axis, Compute, Const, Def, Index, Load


@dataclass(frozen=True)
class TailMask:
    """Masks the points beyond the end of `axis`, which is traversed in parts of `inner` elements,
    one for each point of the axis `part`."""

    axis: Axis
    inner: int
    part: Axis

    def loads(self, defs: list[Def]) -> list[Def]:
        """The definitions with their loads masked, preceded by the definition of the mask."""
        at = Affine(((self.part.name, self.inner), (self.axis.name, 1)))
        result: list[Def] = [
            Index("position", I32, at),
            Const("extent", I32, number(self.axis.extent)),
            Compute("inside", BOOL, "compare", ("position", "extent"), direction="LT"),
        ]
        for d in defs:
            if isinstance(d, Load) and d.access.stride(self.axis.name):
                result += self._inside(d)
            else:
                result.append(d)
        return result

    def _inside(self, d: Load) -> list[Def]:
        if d.mask is None:
            return [replace(d, mask="inside")]
        both = Compute(f"{d.name}_inside", BOOL, "and", (d.mask, "inside"), d.origins)
        return [both, replace(d, mask=both.name)]

    def masked(self, defs: list[Def], e: Reduce, dtypes: Sequence[DType]) -> tuple[str, ...]:
        """The values that `e` combines, with the monoid's identity beyond the end."""
        values = []
        identities = MONOIDS[e.monoid].identity(dtypes[0])
        for name, arg, dtype, identity in zip(e.names, e.args, dtypes, identities, strict=True):
            neutral, value = f"{name}_neutral", f"{name}_value"
            defs.append(Const(neutral, dtype, identity))
            defs.append(Compute(value, dtype, "select", ("inside", arg, neutral), e.origins))
            values.append(value)
        return tuple(values)
