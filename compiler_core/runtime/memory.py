"""Memory for outputs and temporaries: large blocks are reused instead of mapped anew.

A fresh mapping costs a page fault for every page that a kernel touches, several times what the
kernel itself costs. A block is free when nothing but this cache refers to its storage: tensors,
views and importers (numpy, JAX) hold references, so memory that is still visible is never reused.
"""

import mmap
import sys
import threading

import torch

from compiler_core.interop.private import use_count

# Below this the allocator of torch is as fast and faults no pages.
SMALL_BYTES = 64 * 1024
HUGE_PAGE = 2 * 1024 * 1024
# The most free memory that the cache keeps.
KEPT_BYTES = 1 << 30


class Block:
    """One memory mapping; it is in use as long as anything refers to its storage."""

    def __init__(self, size: int) -> None:
        self.size, self.storage = size, _fresh(size)
        self._address = self.storage._cdata
        self._own = sys.getrefcount(self.storage)

    @property
    def free(self) -> bool:
        # The Python object of a storage is one for all who hold it, and counts once.
        """Whether nothing but the cache refers to its storage."""
        return use_count(self._address) == 1 and sys.getrefcount(self.storage) == self._own


class Cache:
    """Freed blocks of memory, by size class, to be used again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks: dict[int, list[Block]] = {}

    def empty(
        self, shape: tuple[int, ...], stride: tuple[int, ...], dtype: torch.dtype, nbytes: int
    ) -> torch.Tensor:
        """An uninitialised tensor, which belongs to the caller as long as anything refers to its
        storage."""
        if nbytes < SMALL_BYTES:
            return torch.empty_strided(shape, stride, dtype=dtype)
        # Taken and referred to under one lock: nobody else may find the block free in between.
        with self._lock:
            tensor = torch.empty(0, dtype=dtype)
            return tensor.set_(self._take(size_class(nbytes)), 0, shape, stride)

    def _take(self, size: int) -> torch.UntypedStorage:
        blocks = self._blocks.setdefault(size, [])
        for block in blocks:
            if block.free:
                return block.storage
        self._trim()
        blocks.append(Block(size))
        return blocks[-1].storage

    def _trim(self) -> None:
        """Releases free blocks, the largest first, until no more than KEPT_BYTES are free."""
        free = [b for blocks in self._blocks.values() for b in blocks if b.free]
        excess = sum(b.size for b in free) - KEPT_BYTES
        for block in sorted(free, key=lambda b: -b.size):
            if excess <= 0:
                return
            self._blocks[block.size].remove(block)
            excess -= block.size


# Python's default is memory that is shared with forks, which a sandbox may refuse.
_OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def size_class(nbytes: int) -> int:
    """The smallest class that holds `nbytes`: four for each power of two, in whole pages."""
    size = max(nbytes, SMALL_BYTES)
    step = 1 << max(12, size.bit_length() - 3)
    return -(-size // step) * step


def _fresh(size: int) -> torch.UntypedStorage:
    """Unused memory, page-aligned, in huge pages where it is large enough for one."""
    if size < HUGE_PAGE:
        region, start = mmap.mmap(-1, size, flags=_OWN), 0
    else:
        region = mmap.mmap(-1, size + HUGE_PAGE, flags=_OWN)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            region.madvise(mmap.MADV_HUGEPAGE)
        start = -torch.frombuffer(region, dtype=torch.uint8).data_ptr() % HUGE_PAGE
    region_bytes = torch.frombuffer(region, dtype=torch.uint8, count=size, offset=start)
    return region_bytes.untyped_storage()


CACHE = Cache()
