"""The courses that ship with the project: each a folder beside this room, by its name."""

from functools import cache
from pathlib import Path

from webapp.workshops.courses.course import Course, Files
from webapp.workshops.courses.reading import COURSE, taken

FOLDERS = Path(__file__).parent.parent / "course"


@cache
def shelf() -> dict[str, Course]:
    """All courses that ship with the project. A folder that is no course is a mistake of ours, and
    raises ValueError."""
    folders = sorted(each.parent for each in FOLDERS.glob(f"*/{COURSE}"))
    return {folder.name: _course(folder) for folder in folders}


def _course(folder: Path) -> Course:
    found = taken(files(folder))
    if not isinstance(found, Course):
        raise ValueError(f"{folder.name}: {found.message} {found.remedy}")
    return found


def files(folder: Path) -> Files:
    """What lies in a course's folder."""
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in (".md", ".toml", ".py"))
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
