"""Memory accesses of a kernel: affine indices, with terms that may be values computed in the
kernel."""

from dataclasses import dataclass
from typing import Literal

from compiler_core.ir.sizes import Dim

# How a computed index is kept inside its dimension: it is proved to be; it is clamped; the access
# is masked; or a negative one counts from the end, as in Python, and the result is clamped. The
# lowering has written the clamp, the mask or the sum as definitions of their own.
Policy = Literal["in range", "clamped", "masked", "wrapped"]


@dataclass(frozen=True, slots=True)
class Indirect:
    """A term `stride * value` of an index, where `value` is an integer value of the kernel;
    `policy` says what keeps it in bounds."""

    value: str
    stride: Dim
    policy: Policy = "in range"


@dataclass(frozen=True, slots=True)
class Affine:
    """offset + sum of stride * axis + sum of stride * value, in elements. Strides may be negative,
    never 0."""

    terms: tuple[tuple[str, Dim], ...] = ()
    offset: Dim = 0
    indirect: tuple[Indirect, ...] = ()

    def stride(self, axis: str) -> Dim:
        return dict(self.terms).get(axis, 0)

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the kernel that the index reads."""
        return tuple(x.value for x in self.indirect)

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The offset and the strides."""
        return (self.offset, *(s for _, s in self.terms), *(x.stride for x in self.indirect))

    def __str__(self) -> str:
        named = [*((x.value, x.stride) for x in self.indirect), *self.terms]
        parts = [a if s == 1 else f"{factor(s)}*{a}" for a, s in named]
        if self.offset != 0 or not parts:
            parts.append(str(self.offset))
        return " + ".join(parts).replace("+ -", "- ")


def factor(stride: Dim) -> str:
    """A stride as the text of a coefficient: -512, 512*B, (B + 1)."""
    text = str(stride)
    return f"({text})" if " " in text else text
