"""The snippet, its device, what it printed, and what was noticed outside of any program."""

import msgspec

from compiler_core.report.vocabulary import Level


class Snippet(msgspec.Struct, frozen=True):
    """The text that was run, and its SHA-256 in hexadecimal."""

    sha256: str = ""
    source: str = ""


class Device(msgspec.Struct, frozen=True):
    """The device that programs ran on: `kind` is `cpu` or `cuda`, `threads` those of the CPU."""

    kind: str = "cpu"
    name: str = ""
    threads: int = 1


class Output(msgspec.Struct):
    """What the snippet printed. A runner limits its length, and says so in a notice."""

    stdout: str = ""
    stderr: str = ""


class Notice(msgspec.Struct, frozen=True):
    """A remark on the run, with a line of the snippet, 1-based, if it concerns one."""

    level: Level
    text: str
    line: int | None = None
    # Whether the service says it. All other notices are from the run's own process, in which the
    # snippet runs: they are as much to be believed as the snippet is.
    by_service: bool = False


class Failure(msgspec.Struct, frozen=True):
    """Why a stage failed: one sentence, the line of the snippet, 1-based, and what to do about
    it."""

    stage: str
    message: str
    line: int | None = None
    remedy: str = ""
    # The traceback without frames outside of the snippet; blank if there is none.
    traceback: str = ""
    # As of a notice.
    by_service: bool = False
