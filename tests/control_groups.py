"""A folder of control groups (cgroup v2), as somebody hands one to a worker."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def handed_over() -> Iterator[Path]:
    """A group without processes, whose files may be written; skips where none can be made."""
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    for _, point, kind, *_ in mounts:
        own = Path(point, f"fuselab-tests-{os.getpid()}")
        if kind == "cgroup2" and os.access(point, os.W_OK):
            own.mkdir()
            try:
                yield own
            finally:
                own.rmdir()
            return
    pytest.skip("no folder of cgroup v2 here that may be written")
