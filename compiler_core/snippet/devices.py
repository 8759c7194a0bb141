"""Where a snippet's tensors live: `cuda` on a machine without a GPU means the CPU."""

from collections.abc import Iterator
from contextlib import contextmanager

from compiler_core.snippet.output import Emit


@contextmanager
def on_device(device: str, emit: Emit) -> Iterator[None]:
    yield
