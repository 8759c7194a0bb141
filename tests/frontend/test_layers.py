"""The page's rooms import only those before them, and nothing of the server's."""

import re

import pytest

from frontend.build import FRONTEND

ROOMS = (
    "lib", "graph", "net", "text", "store", "panes", "shell", "compare", "share", "desk", "embed",
    "workshop",
)  # fmt: skip
IMPORT = re.compile(r'(?:from|import)\s+"(\.\.?/[^"]+)"')


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_only_earlier_rooms(room: str) -> None:
    allowed = {*ROOMS[: ROOMS.index(room) + 1], "wire", "config"}
    source = FRONTEND / "src"
    for path in [p for p in (source / room).rglob("*.ts*") if ".test." not in p.name]:
        for target in IMPORT.findall(path.read_text(encoding="utf-8")):
            imported = (path.parent / target).resolve().relative_to(source)
            assert imported.parts[0] in allowed, f"{path.name} imports {target}"
