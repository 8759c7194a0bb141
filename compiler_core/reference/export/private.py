"""The one private part of torch that exporting needs: which frames an operation records."""

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import StackSummary
from typing import Any
from unittest import mock

from torch.fx.proxy import TracerBase

from compiler_core.snippet.source import is_own


@contextmanager
def frames_of_the_snippet() -> Iterator[None]:
    """Context in which operations record the snippet's frames: by default torch records those of
    functions called `forward` only."""
    with mock.patch.object(TracerBase, "_filter_traceback_frames", _own):
        yield


def _own(tracer: Any, frames: StackSummary) -> StackSummary:
    return StackSummary.from_list([frame for frame in frames if is_own(frame.filename)])
