"""Which programs a suite is made of."""

from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _gallery() -> list[Path]:
    """The gallery's twelve: each is an example, an end-to-end test and a benchmark at once."""
    return sorted((ROOT / "webapp" / "examples" / "snippets").glob("[0-9]*.py"))


SUITES: dict[str, Callable[[], list[Path]]] = {"twelve": _gallery}
