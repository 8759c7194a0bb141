"""Every error that the compiler core raises, in one tree.

    FuselabError              carries stage, message, line of the snippet, remedy
    ├── SnippetError          the text itself: syntax, unknown import, an exception of its own
    │   └── NoProgramFound    nothing to compile; lists the candidates it saw
    ├── InputsError           (inputs.py) input specs that do not parse or do not fit
    ├── CaptureError          a program that the framework cannot trace
    │   └── Unsupported       an operation or type that no table of the core covers
    ├── VerifyError           an invalid graph: a fault of ours, shown with the lines around it
    ├── LoweringError         a group that cannot become a kernel: a fault of ours
    ├── ToolchainError        gcc or Triton refused the generated source
    └── MeasureError          a program that ran but could not be measured

A mistake of the user has a remedy; a fault of ours says so and asks for a report.
"""

from collections.abc import Sequence

from compiler_core.report import Candidate, Failure, GraphBreak


class FuselabError(Exception):
    """Base of all errors: a sentence, the stage, the snippet's own line and the remedy."""

    stage = "unknown"

    def __init__(
        self, message: str, *, line: int | None = None, remedy: str = "", traceback: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.remedy, self.traceback = message, line, remedy, traceback

    def failure(self, stage: str | None = None) -> Failure:
        """The wire form; `stage` overrides the class's own."""
        return Failure(stage or self.stage, self.message, self.line, self.remedy, self.traceback)


class SnippetError(FuselabError):
    stage = "snippet"


class NoProgramFound(SnippetError):
    """No compiled callable, no Model convention, no inputs for a function or module."""

    candidates: Sequence[Candidate] = ()


class CaptureError(FuselabError):
    stage = "capture"
    # Where TorchDynamo would break the graph, for a program that depends on its data.
    graph_breaks: Sequence[GraphBreak] = ()


class Unsupported(CaptureError):
    """An operation, type or attribute that the core has no row for."""


class VerifyError(FuselabError):
    stage = "verify"


class LoweringError(FuselabError):
    stage = "schedule"


class ToolchainError(FuselabError):
    stage = "compile"


class MeasureError(FuselabError):
    stage = "measure"
