"""The process: `python -m webapp.apart MODULE FUNCTION` calls the function with what stdin has, and
writes what it returns to stdout. It needs no Django and knows no secret."""

import os
import resource
import sys
from importlib import import_module

import msgspec

from webapp.apart.limits import CPU_S, MEMORY_BYTES, NICENESS, RETURNED_BYTES


def main(module: str, function: str) -> None:
    """Calls it within its limits."""
    for limit, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, CPU_S)):
        resource.setrlimit(limit, (most, most))
    os.nice(NICENESS)
    given = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[bytes])
    returned = getattr(import_module(module), function)(*given)
    if len(returned) > RETURNED_BYTES:
        sys.exit(f"it would return {len(returned):,} bytes")
    sys.stdout.buffer.write(returned)


if __name__ == "__main__":
    main(*sys.argv[1:])
