"""Which programs a suite is made of."""

from collections.abc import Callable
from pathlib import Path

from bench.subjects import Subject, plain, sized

ROOT = Path(__file__).resolve().parent.parent


def _gallery() -> list[Subject]:
    """Each is an example, an end-to-end test and a benchmark at once."""
    files = (ROOT / "webapp" / "examples" / "snippets").glob("[0-9]*.py")
    return [plain(file) for file in sorted(files)]


def _twelve() -> list[Subject]:
    """Those of the gallery that recorded results have been of from the start."""
    return _gallery()[:12]


def _models() -> list[Subject]:
    """Whole models, forward and training step, small enough to be compiled in seconds."""
    return [plain(file) for file in sorted((ROOT / "bench" / "models").glob("*.py"))]


def _families() -> list[Subject]:
    """Small programs by family, each in three sizes, in f32 and where it makes sense in bf16."""
    files = sorted((ROOT / "bench" / "programs").glob("*/*.py"))
    return [subject for file in files for subject in sized(file)]


SUITES: dict[str, Callable[[], list[Subject]]] = {
    "twelve": _twelve,
    "gallery": _gallery,
    "models": _models,
    "families": _families,
}
