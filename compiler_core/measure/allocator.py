"""One setting of glibc's allocator for all programs that are measured.

glibc maps large blocks anew for each allocation and unmaps them when they are freed. A program with
a large output then takes a page fault for every 4 KiB of it, which costs more than its kernel, and
a comparison measures whose allocator caches. Here freed memory stays with the process, whether
torch, XLA or a compiled program freed it. The heap settles after a few calls, so warming up
continues until calls cause no page faults.

A thread's own arena is unmapped whenever nothing is left in it, whatever the thresholds are. XLA
allocates its results in its threads: in some processes each call of it faulted, in others none, and
its times differed by two. So all threads share one arena, which must be said before they have
their own.
"""

import ctypes
import resource
from functools import cache

# Of malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_MAX = -4
_M_ARENA_MAX = -8
_LARGEST = 2**31 - 1


@cache
def reuse_memory() -> str:
    """Applies the setting to this process, once; threads that have allocated before keep arenas of
    their own. Returns a sentence for the protocol: which setting is in force."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return "the C library's own allocator settings"
    # Older versions of glibc take no threshold above 32 MiB, so no block is mapped by itself.
    settings = ((_M_MMAP_MAX, 0), (_M_TRIM_THRESHOLD, _LARGEST), (_M_ARENA_MAX, 1))
    done = all(mallopt(*each) for each in settings)
    return "freed memory kept (mallopt)" if done else "the C library's own allocator settings"


def page_faults() -> int:
    """The number of page faults that this process has taken so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
