"""The project's documents as pages: what whoever leads a workshop reads, and what that links to."""

from functools import cache
from pathlib import Path

from django.conf import settings

from webapp.workshops.courses import markdown


def document(name: str) -> tuple[str, str] | None:
    """Title and HTML of one, by its path below docs/; None where there is none."""
    place = _all().get(name)
    return None if place is None else _rendered(place)


@cache
def _all() -> dict[str, Path]:
    """Every one by its path: no name leads to another file."""
    folder = settings.BASE_DIR / "docs"
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.md")}


@cache
def _rendered(place: Path) -> tuple[str, str]:
    tokens = markdown.parsed(place.read_text(encoding="utf-8"))
    return markdown.title(tokens), markdown.html(tokens)
