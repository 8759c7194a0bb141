"""How a generated matrix product is walked on a CPU: blocks of rows, tiles of the result in
registers.

The right operand is packed once into panels of as many columns as a tile has, which then stream
through the first-level cache. Threads share blocks of rows. A block's rows of the left operand and
of the result stay in the second-level cache, so what runs on rows before or after the product
moves nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler_core.ir.sizes import Dim, hint
from compiler_core.ir.types import F64, DType
from compiler_core.schedule.cpu import CpuSchedule


@dataclass(frozen=True, slots=True)
class Registers:
    """A tile of the result in a processor's registers: `rows`, or `tall_rows` where they leave none
    for anything beside, by two vectors of so many lanes."""

    rows: int
    tall_rows: int
    f32_lanes: int
    f64_lanes: int


# With vectors of 512 bits, 24 of 32 registers hold sums; without, 12 of 16.
WIDE = Registers(rows=8, tall_rows=12, f32_lanes=16, f64_lanes=8)
NARROW = Registers(rows=4, tall_rows=6, f32_lanes=8, f64_lanes=4)
# The most columns that a tile has: two of the widest vectors of f32.
PANEL = 2 * WIDE.f32_lanes
# The rows of a block, in tall tiles. Panels are read again for each block, so one thread takes as
# many rows as it can; threads take blocks of two tiles, or of one where there would be too few
# blocks to balance them.
BLOCKS = tuple(WIDE.tall_rows * tiles for tiles in (4, 2, 1))
SHARED_BLOCKS = BLOCKS[1:]
ENOUGH_BLOCKS = 16
# Of a block's rows, left and result together: half of a second-level cache.
BLOCK_BYTES = 512 * 1024
# Panels up to this size need no memory of the plan's.
STACK_BYTES = 64 * 1024
# A right operand stored by rows is read in place up to this size.
IN_PLACE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Shape:
    """`batch` times [m, k] @ [k, n], with as many right operands as `rights`. How many rows there
    are may be symbolic; what tiles and panels are laid out by may not."""

    batch: Dim
    m: Dim
    n: int
    k: int
    rights: Dim

    @property
    def padded(self) -> int:
        """The columns of all panels: the last one is filled up."""
        return -(-self.n // PANEL) * PANEL

    @property
    def packed_elements(self) -> Dim:
        """Of the panels of all right operands."""
        return self.rights * (self.k * self.padded)

    def blocks(self, rows: int) -> int:
        """How many blocks of so many rows there are in the captured call."""
        return -(-hint(self.m) // rows) * hint(self.batch)


@dataclass(frozen=True, slots=True)
class CpuMatmulSchedule:
    """`rows` of a block; `packed`: the right operand is copied into panels first. `parts`: how the
    kernels at the product's ends run on each row."""

    shape: Shape
    rows: int
    packed: bool
    threads: bool
    reason: str
    strategy: str = "registers"
    parts: Mapping[str, CpuSchedule] = field(default_factory=dict)

    @property
    def parameters(self) -> Mapping[str, int | str]:
        given = {
            "threads": "all" if self.threads else 0,
            "rows": self.rows,
            "packed": "yes" if self.packed else 0,
            **{role: str(part) for role, part in self.parts.items()},
        }
        return {name: value for name, value in given.items() if value}

    def speedup(self, cores: int) -> float:
        """By how much threads are faster than one: whole blocks are shared."""
        blocks = self.shape.blocks(self.rows)
        return blocks / -(-blocks // cores) if self.threads else 1.0


def block_rows(shape: Shape, row_bytes: int, *, threads: bool) -> int:
    """How many rows a block has; 0 where no tile's rows of `row_bytes` fit the cache."""
    fitting = [rows for rows in BLOCKS if rows * row_bytes <= BLOCK_BYTES]
    shared = [rows for rows in fitting if rows in SHARED_BLOCKS]
    enough = [rows for rows in shared if shape.blocks(rows) >= ENOUGH_BLOCKS]
    return ((enough or fitting[-1:] if threads else fitting) or [0])[0]


def is_packed(dtype: DType, shape: Shape, *, transposed: bool) -> bool:
    """Whether the right operands are copied into panels."""
    is_upcast = dtype.bytes < upcast_bytes(dtype)
    large = shape.k * shape.n * dtype.bytes > IN_PLACE_BYTES
    return transposed or is_upcast or large or bool(shape.n % PANEL)


def upcast_bytes(dtype: DType) -> int:
    """Bytes of an element in registers."""
    return 8 if dtype is F64 else 4
