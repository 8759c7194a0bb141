"""Which programs a suite is made of."""

from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _gallery() -> list[Path]:
    """Each is an example, an end-to-end test and a benchmark at once."""
    return sorted((ROOT / "webapp" / "examples" / "snippets").glob("[0-9]*.py"))


def _twelve() -> list[Path]:
    """Those of the gallery that recorded results have been of from the start."""
    return _gallery()[:12]


def _models() -> list[Path]:
    """Whole models, forward and training step, small enough to be compiled in seconds."""
    return sorted((ROOT / "bench" / "models").glob("*.py"))


SUITES: dict[str, Callable[[], list[Path]]] = {
    "twelve": _twelve,
    "gallery": _gallery,
    "models": _models,
}
