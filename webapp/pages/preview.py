"""The title and sentence that chats and search engines show for a link (Open Graph)."""

from dataclasses import dataclass

from webapp.runs.models import Run, RunCard, State
from webapp.runs.title import title

_STATES = {
    State.QUEUED: "Waiting to be compiled",
    State.RUNNING: "Being compiled",
    State.DONE: "Compiled",
    State.FAILED: "Did not compile",
    State.CANCELLED: "Cancelled",
}
# What stands for a run of which nobody drew a picture, as of one that was shared by the API alone;
# scripts/card.py draws it.
CARD = "/static/card.png"


@dataclass(frozen=True)
class Preview:
    """A link's title and description, and the path of its picture of 1200 x 630."""

    title: str
    description: str
    picture: str = CARD


DEFAULT = Preview(
    "Fuselab",
    "Paste a PyTorch or JAX snippet and see what a compiler does with it: every IR, the fusion "
    "decisions, the generated Triton and C, and honest timings.",
)


def preview(run: Run) -> Preview:
    """The run's title, what it came to, else its state, and the picture that its sharer drew, if
    anybody did."""
    said = run.verdict or f"{_STATES[State(run.state)]}:"
    picture = f"{run.url}/card.png" if RunCard.objects.filter(run=run).exists() else CARD
    return Preview(
        f"{run.title or title(run.source)} - Fuselab",
        f"{said} The IR before and after every pass, the generated code and the timings.",
        picture,
    )


def compared(a: Run, b: Run) -> Preview:
    """The titles of two runs that are compared."""
    titles = " and ".join(dict.fromkeys(run.title or title(run.source) for run in (a, b)))
    return Preview(
        f"{titles} compared - Fuselab",
        "Two runs beside each other: operations, kernels, bytes, times, errors and every text.",
    )
