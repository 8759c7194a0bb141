"""IREE's process for one program."""

from pathlib import Path

from compiler_core.extras import environment
from compiler_core.extras.session import Session
from compiler_core.reference.result import title_of

NAME = title_of("iree")
_EXTRA, _FILE = "iree", "for_iree.py"


def start() -> Session | str:
    """The process; or, in one sentence, why there is none. Raises ToolchainError where it cannot
    be started."""
    python = environment.python_of(_EXTRA)
    return Session(NAME, python, _FILE) if python else environment.absent(_EXTRA, NAME)


def written(session: Session, module: str) -> Path:
    """A module's text, in a file that the process reads."""
    file = session.new_file("module.mlir")
    file.write_text(module)
    return file
