"""A fault of the front doors themselves is said to be one, and never blamed on the program."""

import contextlib
from collections.abc import Iterator

from compiler_core.errors import REPORT_IT, CaptureError, FuselabError, sentence_of


@contextlib.contextmanager
def faults_are_ours() -> Iterator[None]:
    """Inside, what is no error of the tree becomes one that asks for a report."""
    try:
        yield
    except FuselabError:
        raise
    except Exception as error:
        raise CaptureError(
            f"the program was traced but not lowered: {sentence_of(error)}", remedy=REPORT_IT
        ) from error
