"""The title and sentence that a chat or a search engine shows for a link (Open Graph)."""

import ast
from dataclasses import dataclass

from webapp.runs.models import Run, State

_TITLE = 80
_STATES = {
    State.QUEUED: "Waiting to be compiled",
    State.RUNNING: "Being compiled",
    State.DONE: "Compiled",
    State.FAILED: "Did not compile",
    State.CANCELLED: "Cancelled",
}


@dataclass(frozen=True)
class Preview:
    title: str
    description: str


DEFAULT = Preview(
    "Fuselab",
    "Paste a PyTorch or JAX snippet and see what a compiler does with it: every IR, the fusion "
    "decisions, the generated Triton and C, and honest timings.",
)


def preview(run: Run) -> Preview:
    state = _STATES[State(run.state)]
    return Preview(
        f"{_name(run.source)} - Fuselab",
        f"{state}: the IR before and after every pass, the generated code and the timings.",
    )


def _name(source: str) -> str:
    """The docstring's first line, else the first line that says something."""
    try:
        title = ast.get_docstring(ast.parse(source)) or ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        title = ""
    lines = [*title.splitlines(), *source.splitlines()]
    skipped = ("import ", "from ", "#", '"""')
    said = (line.strip() for line in lines if line.strip() and not line.startswith(skipped))
    return next(said, "A snippet")[:_TITLE]
