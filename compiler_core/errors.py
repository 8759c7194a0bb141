"""Every error that the compiler core raises, in one tree.

    FuselabError              carries stage, message, line of the snippet, remedy
    ├── SnippetError          the text itself: syntax, unknown import, an exception of its own
    │   └── NoProgramFound    nothing to compile; lists the candidates it saw
    ├── InputsError           (inputs/) input specs that do not parse or do not fit
    ├── CaptureError          a program that the framework cannot trace
    │   ├── ProgramRaises     the framework cannot run it either, or it ends the process
    │   └── Unsupported       an operation or type that no table of the core covers
    ├── NoReference           a program that does not run in float64: eager is the reference
    ├── VerifyError           an invalid graph: a fault of ours, shown with the lines around it
    ├── LoweringError         a group that cannot become a kernel: a fault of ours
    ├── ToolchainError        gcc or Triton refused the generated source
    ├── NoDevice              a GPU was asked for where there is none
    ├── NoToolchain           a toolchain was asked for that is not installed
    └── MeasureError          a program that ran but could not be measured

A mistake of the user has a remedy; a fault of ours says so and asks for a report. What is in no
such tree, of whatever kind, becomes a fault of ours by `own_fault`.
"""

import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from compiler_core.report import Candidate, Failure, GraphBreak

REPORT_IT = "this is a fault of the compiler core: please report it with the snippet"
_LONGEST_SENTENCE = 500
_LONGEST_TRACE = 8000
# The line before a traceback; and a traceback with its error, which follows the indented frames.
_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*(\S.*)")
# Parts of a message that differ from run to run or mean nothing to a user: addresses of objects,
# places of the core's own functions, and the scopes of Python's local functions.
_NOBODYS = re.compile(r" at 0x[0-9a-f]+| at \S*/compiler_core/\S+|(?<=\.)<locals>\.")
# The end of a line of torch's whose reason is on the next line.
_TO_A_LOG = re.compile(r' For more information, run with TORCH_LOGS="[^"]*"\.?\Z')


class FuselabError(Exception):
    """Base of all errors: a sentence, the stage, the snippet's own line and the remedy.

    Lines of `message` after the first (the output of a tool, the IR around a fault) are shown above
    the traceback.
    """

    stage = "unknown"

    def __init__(
        self, message: str, *, line: int | None = None, remedy: str = "", traceback: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.remedy, self.traceback = message, line, remedy, traceback

    @property
    def sentence(self) -> str:
        """The first line of the message."""
        return first_line(self.message) or type(self).__name__

    def failure(self, stage: str | None = None) -> Failure:
        """The error in the report's type; `stage` overrides that of the class."""
        _, _, more = str(self.message).strip().partition("\n")
        shown = "\n".join(filter(None, (more, self.traceback)))
        return Failure(
            stage or self.stage, self.sentence, self.line, self.remedy, shown[-_LONGEST_TRACE:]
        )


class SnippetError(FuselabError):
    """The snippet cannot be read or run, or has no program."""

    stage = "snippet"


class NoProgramFound(SnippetError):
    """Nothing to call, or no inputs with which it runs."""

    candidates: Sequence[Candidate] = ()


class CaptureError(FuselabError):
    """A program that cannot become a graph."""

    stage = "capture"
    # Where TorchDynamo would break the graph, for a program that depends on its data.
    graph_breaks: Sequence[GraphBreak] = ()


class ProgramRaises(CaptureError):
    """The framework itself raises where it runs the program, or the program ends the process."""


class Unsupported(CaptureError):
    """An operation, type or attribute for which the core has no table row."""


class NoReference(FuselabError):
    """A program that cannot be computed in float64, because of `error`."""

    stage = "numerics"

    def __init__(self, error: BaseException) -> None:
        super().__init__(f"the program does not run in float64: {sentence_of(error)}")


class VerifyError(FuselabError):
    """A graph, a text or a call that breaks a rule of the IR."""

    stage = "verify"


class LoweringError(FuselabError):
    """A group that cannot become a kernel, or a kernel without a schedule."""

    stage = "schedule"


class ToolchainError(FuselabError):
    """A compiler that is missing, refuses the generated code, or takes too long."""

    stage = "compile"


class NoDevice(FuselabError):
    """The device that was asked for cannot be used on this machine."""

    stage = "device"


class NoToolchain(FuselabError):
    """The toolchain that was asked for is not installed on this machine."""

    stage = "toolchain"


class MeasureError(FuselabError):
    """A version of a program that cannot be run or timed."""

    stage = "measure"


@contextmanager
def at_line(line: int | None) -> Iterator[None]:
    """Context in which an error that names no line of the snippet gets this one."""
    try:
        yield
    except FuselabError as error:
        error.line = error.line or line
        raise


def first_line(text: str) -> str:
    """The first line of a message, cut where it is too long for a sentence, without addresses of
    objects, which differ from run to run. The next line is appended if the first refers to a log,
    or ends with a colon and is followed by more than a place; the error is, if it ends with a
    traceback."""
    lines = map(str.strip, _NOBODYS.sub("", str(text)).splitlines())
    line, following, *_ = *filter(None, lines), "", ""
    if line.endswith(_TRACEBACK) and (raised := _RAISED.search(text)):
        line = f"{line.removesuffix(_TRACEBACK)}{raised[1]}"
    if _TO_A_LOG.search(line) or (line.endswith(":") and not following.startswith("File ")):
        line = f"{_TO_A_LOG.sub('', line)} {following.removeprefix('- ')}".rstrip()
    return line if len(line) <= _LONGEST_SENTENCE else f"{line[:_LONGEST_SENTENCE]}..."


def sentence_of(error: BaseException) -> str:
    """An exception's type and the first line of its message, also if computing the message
    fails."""
    name = first_line(type(error).__name__)
    try:
        text = first_line(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return f"{name}, which fails to say what it is about"
    return f"{name}: {text}" if text else name


def own_fault(error: BaseException) -> FuselabError:
    """`error` itself if it is a FuselabError; else the FuselabError that reports it as a fault of
    the core."""
    if isinstance(error, FuselabError):
        return error
    trace = "".join(traceback.format_exception(error)[-6:])
    return FuselabError(sentence_of(error), remedy=REPORT_IT, traceback=trace)
