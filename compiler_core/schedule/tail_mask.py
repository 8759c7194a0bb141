"""The last part of a split reduction whose extent does not divide into equal parts."""

from dataclasses import dataclass, replace

from compiler_core.ir.types import BOOL, I32, DType
from compiler_core.kernel.kernel import (
    Affine,
    Axis,
    Compute,
    Const,
    Def,
    Index,
    Load,
    Reduce,
    Scalar,
)


@dataclass(frozen=True)
class Guard:
    """The last part of an extent that does not divide: points past its end count for nothing."""

    axis: Axis
    inner: int
    part: Axis

    def loads(self, defs: list[Def]) -> list[Def]:
        at = Affine(((self.part.name, self.inner), (self.axis.name, 1)))
        result: list[Def] = [
            Index("position", I32, at),
            Const("extent", I32, self.axis.extent),
            Compute("inside", BOOL, "compare", ("position", "extent"), direction="LT"),
        ]
        for d in defs:
            if isinstance(d, Load) and d.access.stride(self.axis.name):
                result += self._guarded(d)
            else:
                result.append(d)
        return result

    def _guarded(self, d: Load) -> list[Def]:
        if d.mask is None:
            return [replace(d, mask="inside")]
        both = Compute(f"{d.name}_inside", BOOL, "and", (d.mask, "inside"), d.origins)
        return [both, replace(d, mask=both.name)]

    def folded(self, defs: list[Def], e: Reduce, dtype: DType) -> str:
        neutral, value = f"{e.name}_neutral", f"{e.name}_value"
        defs.append(Const(neutral, dtype, identity(e.monoid, dtype)))
        defs.append(Compute(value, dtype, "select", ("inside", e.arg, neutral), e.origins))
        return value


def identity(monoid: str, dtype: DType) -> Scalar:
    """The value that a fold with `monoid` does not see."""
    if dtype is BOOL:
        return monoid in ("and", "minimum", "multiply")
    if monoid in ("add", "or"):
        return 0.0 if dtype.is_float else 0
    if monoid == "multiply":
        return 1.0 if dtype.is_float else 1
    if monoid == "and":
        return -1 if dtype.kind == "int" else 2**dtype.bits - 1
    lowest = monoid == "maximum"
    if dtype.is_float:
        return -float("inf") if lowest else float("inf")
    if dtype.kind == "uint":
        return 0 if lowest else 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)) if lowest else 2 ** (dtype.bits - 1) - 1
