"""How a generated matrix product is walked on a CPU: tiles of the result in registers, by blocks
of rows or by panels of columns.

By rows: the right operand is packed once into panels of as many columns as a tile has, which then
stream through the first-level cache, and threads share blocks of rows. A block's rows of the left
operand and of the result stay in the second-level cache, so what runs on rows before or after the
product moves nothing.

By columns: threads share panels. Each is packed by the thread that uses it, stays in its cache, and
is multiplied with all rows; nobody waits for anybody, and no panel is read from memory twice. What
runs on the result is elementwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from compiler_core.ir.sizes import Dim, Symbol, hint, size
from compiler_core.ir.types import F64, DType
from compiler_core.schedule.cpu.schedule import CpuSchedule, Nest, Part


@dataclass(frozen=True, slots=True)
class Registers:
    """A tile of the result in a processor's registers, in rows of two vectors of `f32_lanes` or
    `f64_lanes`. `tall_rows` is the number of rows that leaves no register for anything else, `rows`
    a smaller one."""

    rows: int
    tall_rows: int
    f32_lanes: int
    f64_lanes: int


# With vectors of 512 bits, 24 of 32 registers hold sums; without, 12 of 16.
WIDE = Registers(rows=8, tall_rows=12, f32_lanes=16, f64_lanes=8)
NARROW = Registers(rows=4, tall_rows=6, f32_lanes=8, f64_lanes=4)
# The most columns of a tile: two of the widest vectors of f32; or a single one at the end of a row.
LANES = WIDE.f32_lanes
PANEL = 2 * LANES
# The rows of a block, in tall tiles. Panels are read again for each block, so one thread takes as
# many rows as it can; threads take blocks of two tiles, or of one where there would be too few
# blocks to balance them.
BLOCKS = tuple(WIDE.tall_rows * tiles for tiles in (4, 2, 1))
SHARED_BLOCKS = BLOCKS[1:]
ENOUGH_BLOCKS = 16
# The most bytes of a block's rows, of left operand and result together: half of a second-level
# cache.
BLOCK_BYTES = 512 * 1024
# By columns, the most bytes of a panel: half of a second-level cache. As many rows are computed at
# a time as keep their results in the first-level cache.
PANEL_BYTES = 512 * 1024
PANEL_ROWS = max(BLOCKS)
# The panels, or parts of panels, that threads can share evenly; and the fewest blocks of rows of a
# part.
ENOUGH_PANELS = 8
LEAST_BLOCKS = 4
# Data that is read repeatedly and is larger than this in all comes from the third-level cache.
CACHE_BYTES = 1024 * 1024
# Panels up to this size are on the stack and need no memory of the plan.
STACK_BYTES = 64 * 1024
# A right operand stored by rows is read in place up to this size.
IN_PLACE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Shape:
    """`batch` products [m, k] @ [k, n] with `rights` different right operands. `batch`, `m` and
    `rights` may be symbolic; `n` and `k`, which determine the layout of tiles and panels, may
    not."""

    batch: Dim
    m: Dim
    n: int
    k: int
    rights: Dim

    @property
    def padded(self) -> int:
        """The columns of all panels, including the padding of the last one."""
        return -(-self.n // PANEL) * PANEL

    @property
    def computed(self) -> int:
        """The columns that tiles compute, including padding: only half of the last panel if n needs
        no more."""
        return -(-self.n // LANES) * LANES

    @property
    def packed_elements(self) -> Dim:
        """Elements of the panels of all right operands."""
        return self.rights * (self.k * self.padded)

    @property
    def panels(self) -> int:
        """The number of panels in the captured call, over all products of the batch."""
        return self.padded // PANEL * hint(self.batch)

    def blocks(self, rows: int) -> int:
        """The number of blocks of `rows` rows in the captured call."""
        return -(-hint(self.m) // rows) * hint(self.batch)


Order = Literal["rows", "columns"]


@dataclass(frozen=True, slots=True)
class CpuMatmulSchedule:
    """`rows`: of a block. `packed`: the right operand is copied into panels first, by `order`
    either all of them together or each by the thread that uses it. `share`: the rows that a thread
    multiplies with a panel, 0 standing for all. `parts`: the schedules of the kernels at the
    product's ends, which run on each row."""

    shape: Shape
    rows: int
    packed: bool
    threads: bool
    reason: str
    order: Order = "rows"
    share: int = 0
    strategy: str = "registers"
    parts: Mapping[str, CpuSchedule] = field(default_factory=dict)

    @property
    def parameters(self) -> Mapping[str, int | str]:
        given = {
            "threads": "all" if self.threads else 0,
            "by": self.order if self.order == "columns" else 0,
            "rows": self.rows,
            "share": self.share,
            "packed": "yes" if self.packed else 0,
            **{role: str(part) for role, part in self.parts.items()},
        }
        return {name: value for name, value in given.items() if value}

    def speedup(self, cores: int) -> float:
        """How many times as fast `cores` threads are as one, since they share whole blocks or
        panels."""
        by_rows = self.order == "rows"
        shared = self.shape.blocks(self.rows) if by_rows else self.shape.panels * self.shares
        return shared / -(-shared // cores) if self.threads else 1.0

    @property
    def shares(self) -> int:
        """How often each panel is packed, since threads share its rows."""
        return -(-hint(self.shape.m) // self.share) if self.share else 1

    def read_again(self, each: int) -> int:
        """Bytes that the captured call reads again from the third-level cache, with elements of
        `each`: all panels for every block of rows, or all rows for every panel."""
        x = self.shape
        panels, rows = x.k * x.padded * each, hint(x.m) * x.k * each
        again = (panels, x.blocks(self.rows)) if self.order == "rows" else (rows, x.panels)
        return again[0] * again[1] if again[0] > CACHE_BYTES else 0


def block_rows(shape: Shape, row_bytes: int, *, threads: bool) -> int:
    """How many rows a block has; 0 where no tile's rows of `row_bytes` fit the cache."""
    fitting = [rows for rows in BLOCKS if rows * row_bytes <= BLOCK_BYTES]
    shared = [rows for rows in fitting if rows in SHARED_BLOCKS]
    enough = [rows for rows in shared if shape.blocks(rows) >= ENOUGH_BLOCKS]
    return ((enough or fitting[-1:] if threads else fitting) or [0])[0]


def share_of(shape: Shape) -> int:
    """Rows that a thread multiplies with a panel that it packs: fewer than all, 0 standing for
    these, where few panels would leave threads without work, and no fewer than are worth packing
    the panel again."""
    wanted = -(-ENOUGH_PANELS // max(1, shape.panels))
    blocks = -(-hint(shape.m) // PANEL_ROWS)
    parts = min(wanted, blocks // LEAST_BLOCKS)
    return -(-blocks // parts) * PANEL_ROWS if parts > 1 else 0


# The columns that an elementwise kernel processes at a time, as arguments of its function.
FIRST, STOP = Symbol("first", 0, low=0), Symbol("stop", PANEL, low=1)


def on_columns() -> CpuSchedule:
    """The schedule of an elementwise kernel on the columns FIRST to STOP of a row."""
    nest = Nest((), (Part(size(FIRST), size(STOP), simd=True),))
    return CpuSchedule("flat", False, "", nests=(nest,))


def is_packed(dtype: DType, shape: Shape, *, transposed: bool) -> bool:
    """Whether the right operands are copied into panels."""
    is_upcast = dtype.bytes < upcast_bytes(dtype)
    large = shape.k * shape.n * dtype.bytes > IN_PLACE_BYTES
    return transposed or is_upcast or large or bool(shape.n % LANES)


def upcast_bytes(dtype: DType) -> int:
    """Bytes of an element in registers."""
    return 8 if dtype is F64 else 4
