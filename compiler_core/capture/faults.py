"""Faults of the capture itself are reported as such, instead of being blamed on the user's
program."""

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path

import compiler_core
from compiler_core.errors import REPORT_IT, CaptureError, FuselabError, sentence_of

_OWN_CODE = Path(compiler_core.__file__).parent


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


def is_ours(error: BaseException) -> bool:
    """Whether `error` was raised in the compiler core's own code, and in no framework that it
    calls."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and Path(frames[-1].filename).is_relative_to(_OWN_CODE)
