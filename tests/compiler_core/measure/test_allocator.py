"""Freed memory stays with the process, whichever thread freed it."""

import subprocess
import sys

BYTES = 16 * 2**20
HELD = 3
CALLS = 20
PAGES = BYTES // 4096
# A process of its own, for threads that have allocated before keep what glibc gave them.
PROGRAM = f"""
import ctypes, threading
from compiler_core.measure.allocator import page_faults, reuse_memory

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


def touched():
    found = libc.malloc({BYTES})
    libc.memset(found, 1, {BYTES})
    return found


def calls():
    held = [touched() for _ in range({HELD})]
    for _ in range({CALLS}):
        libc.free(touched())
    for each in held:
        libc.free(each)


print(reuse_memory())
before = page_faults()
for _ in range(3):
    thread = threading.Thread(target=calls)
    thread.start()
    thread.join()
print(page_faults() - before)
"""


def test_a_large_block_is_faulted_in_once_for_all_threads():
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    setting, faults = said.stdout.splitlines()
    assert setting == "freed memory kept (mallopt)"
    assert PAGES * HELD < int(faults) < PAGES * (HELD + 2)
