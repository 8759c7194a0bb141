"""The page's rooms import only those before them, and nothing of the server's."""

import re
from pathlib import Path

import pytest

from frontend.build import FRONTEND

ROOMS = (
    "lib", "graph", "net", "text", "store", "panes", "shell", "compare", "share", "desk", "embed",
    "workshop",
)  # fmt: skip
# Parts of the last room, which is the largest; what lies in it beside them puts them together.
PARTS = ("room", "shared", "exercises", "deck")
SOURCE = FRONTEND / "src"
AT_ONCE = re.compile(r'(?:from|import)\s+"(\.\.?/[^"]+)"')
EVER = re.compile(r'(?:from|import)\s*\(?\s*"(\.\.?/[^"]+)"')


def modules(folder: str) -> list[Path]:
    return [p for p in (SOURCE / folder).rglob("*.ts*") if ".test." not in p.name]


def imported(path: Path, how: re.Pattern[str] = EVER) -> list[Path]:
    """What a module imports of the page, without suffixes, below the sources."""
    targets = how.findall(path.read_text(encoding="utf-8"))
    return [(path.parent / target).resolve().relative_to(SOURCE) for target in targets]


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_only_earlier_rooms(room: str) -> None:
    allowed = {*ROOMS[: ROOMS.index(room) + 1], "wire", "config"}
    for path in modules(room):
        # A pane asks for what is drawn in it when it is first shown (panes/parts.ts).
        for target in imported(path, AT_ONCE):
            assert target.parts[0] in allowed, f"{path.name} imports {target}"


@pytest.mark.parametrize("part", PARTS)
def test_part_of_a_workshop_imports_only_earlier_parts(part: str) -> None:
    allowed = PARTS[: PARTS.index(part) + 1]
    for path in modules(f"workshop/{part}"):
        for room, *where in (target.parts for target in imported(path)):
            assert room != "workshop" or where[0] in allowed, f"{path.name} imports {where}"


def test_no_two_modules_of_a_workshop_import_each_other() -> None:
    imports = {
        path.relative_to(SOURCE).with_suffix(""): imported(path) for path in modules("workshop")
    }
    inside = {path: {to for to in found if to in imports} for path, found in imports.items()}
    # A module that no other leads back to can be taken away; what cannot be is a ring.
    while free := [path for path, found in inside.items() if not found & inside.keys()]:
        for path in free:
            del inside[path]
    assert not inside, f"these lead back to themselves: {sorted(map(str, inside))}"
