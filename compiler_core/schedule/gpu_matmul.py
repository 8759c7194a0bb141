"""GPU schedules of a generated matrix product: tiles of the result, and steps along k.

A program computes `block_m` by `block_n` elements and accumulates in f32. Programs are ordered in
groups of `group_m` rows of tiles: programs that run at the same time then share columns of the
right operand in the L2 cache (the order of Triton's matmul tutorial).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from compiler_core.ir.types import F32, DType

# The least that tl.dot takes along each side.
LEAST = 16
GROUP_M = 8


@dataclass(frozen=True, slots=True)
class GpuMatmulSchedule:
    batch: int
    m: int
    n: int
    block_m: int
    block_n: int
    block_k: int
    num_warps: int
    reason: str
    strategy: str = "matmul"

    @property
    def grid(self) -> tuple[int, int, int]:
        return (-(-self.m // self.block_m) * -(-self.n // self.block_n), self.batch, 1)

    @property
    def blocks(self) -> Mapping[str, int]:
        return {
            "BLOCK_M": self.block_m, "BLOCK_N": self.block_n, "BLOCK_K": self.block_k,
            "GROUP_M": GROUP_M,
        }  # fmt: skip

    @property
    def parameters(self) -> Mapping[str, int | str]:
        blocks = {name.lower(): value for name, value in self.blocks.items()}
        return {**blocks, "num_warps": self.num_warps, "programs": self.grid[0] * self.grid[1]}


def choose_gpu_matmul(dtype: DType, batch: int, m: int, n: int, k: int) -> GpuMatmulSchedule:
    """Tiles of 128 by 128 for 16-bit floats and of 64 by 64 for f32, which uses no tensor cores
    here (f32 products are exact, not TF32); smaller if the matrix is."""
    side, depth = (64, 32) if dtype is F32 else (128, 64)
    block_m, block_n, block_k = (
        max(LEAST, min(most, _up(size))) for most, size in ((side, m), (side, n), (depth, k))
    )
    warps = 8 if block_m * block_n >= 128 * 128 else 4
    reason = f"a program computes {block_m} by {block_n} elements, {block_k} products at a time"
    return GpuMatmulSchedule(batch, m, n, block_m, block_n, block_k, warps, reason)


def _up(n: int) -> int:
    return 1 << max(0, n - 1).bit_length()
