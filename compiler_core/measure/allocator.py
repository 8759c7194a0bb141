"""One allocator setting for everybody who is measured.

glibc maps large blocks anew for each allocation and unmaps them when they are freed, so a program
whose output is large pays a page fault for every 4 KiB of it, more than its kernel costs, and a
comparison measures who reuses memory. Here freed memory stays with the process whoever frees it:
torch, XLA and the compiled programs alike. It takes some calls until the heap has settled, so
warming up goes on until no call faults pages any more.
"""

import ctypes
import resource
from functools import cache

# Of malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_MAX = -4
_LARGEST = 2**31 - 1


@cache
def reuse_memory() -> str:
    """Applies the setting to this process, once; says in words what is in force."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return "the C library's own allocator settings"
    # Older versions of glibc take no threshold above 32 MiB, so no block is mapped by itself.
    done = mallopt(_M_MMAP_MAX, 0) and mallopt(_M_TRIM_THRESHOLD, _LARGEST)
    return "freed memory kept (mallopt)" if done else "the C library's own allocator settings"


def page_faults() -> int:
    """How many pages this process has been given so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
