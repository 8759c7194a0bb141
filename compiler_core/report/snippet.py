"""The snippet and what became of it, outside of any program."""

import msgspec

from compiler_core.report.vocabulary import Level


class Snippet(msgspec.Struct, frozen=True):
    """The text that was run, and its hash."""

    sha256: str = ""
    source: str = ""


class Device(msgspec.Struct, frozen=True):
    """What the programs ran on; `kind` is `cpu` or `cuda`."""

    kind: str = "cpu"
    name: str = ""
    threads: int = 1


class Output(msgspec.Struct):
    """What the snippet printed; capped by the runner, which says so in a notice."""

    stdout: str = ""
    stderr: str = ""


class Notice(msgspec.Struct, frozen=True):
    """A remark of Fuselab on the run, at a line of the snippet where it has one."""

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
