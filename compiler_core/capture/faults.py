"""Faults of the capture itself are reported as such, and not blamed on the user's program."""

import contextlib
from collections.abc import Iterator

from compiler_core.errors import REPORT_IT, CaptureError, FuselabError, sentence_of


@contextlib.contextmanager
def faults_are_ours() -> Iterator[None]:
    """Context: any exception but a FuselabError becomes a CaptureError that says that the program
    was traced but not lowered, and asks the user for a bug report."""
    try:
        yield
    except FuselabError:
        raise
    except Exception as error:
        raise CaptureError(
            f"the program was traced but not lowered: {sentence_of(error)}", remedy=REPORT_IT
        ) from error
