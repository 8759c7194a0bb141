"""Operations per microsecond of one core, by the processor's vendor: the figures by which the
candidates for a matrix product are compared.

docs/decisions/0029-panels-of-columns.md has the measurements. The libraries' rates differ most: MKL
has no kernels of its own for processors other than Intel's, and not every processor has
instructions for products of 16-bit floats.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from compiler_core.ir.types import BF16, F16, DType


@dataclass(frozen=True, slots=True)
class Rates:
    """f32 operations a microsecond of one core, a multiply-add counted as two: of `tiles` in
    registers, and of the libraries `blas` and `onednn`, whose work all cores share. `sixteen`:
    those of torch's products of 16-bit floats, by type. `turned`: elements a microsecond that one
    core transposes while it packs them. `streamed`: the bytes from which on an output is written
    past the caches; 0 for none."""

    tiles: float
    turned: float
    blas: float
    onednn: float
    sixteen: Mapping[DType, float]
    streamed: int = 0

    def without(self, dtypes: Iterable[DType]) -> "Rates":
        """The rates of such a processor without instructions for products of these 16-bit
        floats."""
        slow = {d: min(self.sixteen[d], self.tiles / _SLOWER) for d in dtypes}
        return replace(self, sixteen={**self.sixteen, **slow})

    def multiplies_by_loops(self, dtype: DType) -> bool:
        """Whether torch multiplies floats of this type by loops of its own, in no library."""
        return dtype in self.sixteen and self.sixteen[dtype] < self.tiles / 2


# The time of torch's own loops for a product of 16-bit floats as a multiple of that of tiles in
# registers, at best (docs/decisions/0094-sixteen-bits-without-instructions.md).
_SLOWER = 7


# Measured on two cores of Zen 5.
AMD = Rates(210e3, 12e3, 93e3, 150e3, {BF16: 350e3, F16: 15e3})
# Measured on two cores of a Xeon with 2 MiB of second-level cache each, with AVX-512 and AMX. An
# output of 4 MiB, added from two inputs, was written by non-temporal stores in 0.86 of the time,
# and with a sum over it afterwards in 0.80; of 16 MiB in 0.66 and 0.74; one of 1 MiB took twice as
# long.
INTEL = Rates(187e3, 4.5e3, 170e3, 170e3, {BF16: 750e3, F16: 170e3}, streamed=4 * 1024 * 1024)

# By the vendor that Linux reports; no others have been measured.
_BY_VENDOR = {"AuthenticAMD": AMD, "GenuineIntel": INTEL}


def rates_of(vendor: str) -> Rates:
    """The rates of a vendor's processors; those of AMD for an unknown vendor."""
    return _BY_VENDOR.get(vendor, AMD)
