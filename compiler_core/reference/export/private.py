"""The private parts of torch that exporting needs: which frames an operation records, and the names
that strict export leaves."""

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import StackSummary
from typing import Any
from unittest import mock

from torch._dynamo import functional_export
from torch.fx.proxy import TracerBase

from compiler_core.snippet.source import is_own


@contextmanager
def frames_of_the_snippet() -> Iterator[None]:
    """Context in which operations record the snippet's frames: by default torch records those of
    functions called `forward` only."""
    with mock.patch.object(TracerBase, "_filter_traceback_frames", _own):
        yield


@contextmanager
def no_modules_left() -> Iterator[None]:
    """Context after which TorchDynamo's aliases of modules are removed from the namespace in which
    strict export calls a program. It refuses an alias that already stands for another module, as
    that of `__main__` does when the next snippet is exported in this process."""
    names = vars(functional_export)
    before = set(names)
    try:
        yield
    finally:
        for name in set(names) - before:
            if name.startswith("__import_"):
                del names[name]


def _own(tracer: Any, frames: StackSummary) -> StackSummary:
    return StackSummary.from_list([frame for frame in frames if is_own(frame.filename)])
