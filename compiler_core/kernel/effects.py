"""What a kernel does at each point of its loops: it reduces, scans and stores values, in phases.

kernel/kernel.py has the whole of the language.
"""

from dataclasses import dataclass
from typing import Literal

from compiler_core.ir.types import DType
from compiler_core.kernel.access import Affine


@dataclass(frozen=True, slots=True)
class Reduce:
    """Combines `args` over the reduce axes with `monoid` (a row of ir/monoids.py) into the row
    values `names` of `dtypes`, one for each component. f16 and bf16 are accumulated in f32 and may
    stay so until stored. maximum and minimum propagate NaN, as in torch and XLA."""

    names: tuple[str, ...]
    dtypes: tuple[DType, ...]
    monoid: str
    args: tuple[str, ...]
    origins: tuple[int, ...] = ()


# How a store combines its value with the buffer's element.
Mode = Literal["set", "add", "multiply", "maximum", "minimum"]


@dataclass(frozen=True, slots=True)
class Scan:
    """An inclusive scan along `axis`, the kernel's only reduce axis: at each point, the tile values
    `names` are `args` combined with those of all points before it. Accumulated as by Reduce."""

    names: tuple[str, ...]
    dtypes: tuple[DType, ...]
    monoid: str
    args: tuple[str, ...]
    axis: str
    origins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Store:
    """buffer[access] = value, or the buffer's element combined with it; nothing where `mask` is
    false. Different points of the axes write different elements, unless the access has computed
    terms: then all updates of an element are combined, and of several that `set` it any one
    wins."""

    buffer: str
    access: Affine
    value: str
    origins: tuple[int, ...] = ()
    mask: str | None = None
    mode: Mode = "set"


Effect = Reduce | Scan | Store


@dataclass(frozen=True, slots=True)
class Phase:
    """One pass over the reduce axes, or none if its effects need only row values."""

    effects: tuple[Effect, ...]
