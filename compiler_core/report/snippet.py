"""The snippet and what became of it, outside of any program."""

import msgspec

from compiler_core.report.vocabulary import Level


class Snippet(msgspec.Struct, frozen=True):
    sha256: str = ""
    source: str = ""


class Device(msgspec.Struct, frozen=True):
    kind: str = "cpu"
    name: str = ""
    threads: int = 1


class Output(msgspec.Struct):
    """What the snippet printed; capped by the runner, which says so in a notice."""

    stdout: str = ""
    stderr: str = ""


class Notice(msgspec.Struct, frozen=True):
    level: Level
    text: str
    line: int | None = None


class Failure(msgspec.Struct, frozen=True):
    """Why a stage stopped: one sentence, the snippet's own line, and what to do about it."""

    stage: str
    message: str
    line: int | None = None
    remedy: str = ""
    # The traceback cut to the snippet's own lines, where there is one.
    traceback: str = ""
